// atom, red, membar, fence.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

struct Order {
  AtomicOrdering order;
  bool is_of_system;  ///< written as volatile: see retarget.hpp
};

Order take_order(Emitter& e, AtomicOrdering otherwise) {
  const StringRef order = e.take_one({"relaxed", "acquire", "release", "acq_rel", "sc"});
  const bool is_of_system = e.take_one({"cta", "cluster", "gpu", "sys"}) == "sys";
  const AtomicOrdering known = order == "relaxed"   ? AtomicOrdering::Monotonic
                               : order == "acquire" ? AtomicOrdering::Acquire
                               : order == "release" ? AtomicOrdering::Release
                               : order == "acq_rel" ? AtomicOrdering::AcquireRelease
                               : order == "sc"      ? AtomicOrdering::SequentiallyConsistent
                                                    : otherwise;
  return {known, is_of_system};
}

struct Operation {
  StringRef name;
  AtomicRMWInst::BinOp of_signed, of_unsigned, of_float;
};

constexpr auto kNone = AtomicRMWInst::BAD_BINOP;
const Operation kOperations[] = {
    {"add", AtomicRMWInst::Add, AtomicRMWInst::Add, AtomicRMWInst::FAdd},
    {"min", AtomicRMWInst::Min, AtomicRMWInst::UMin, kNone},
    {"max", AtomicRMWInst::Max, AtomicRMWInst::UMax, kNone},
    {"and", AtomicRMWInst::And, AtomicRMWInst::And, kNone},
    {"or", AtomicRMWInst::Or, AtomicRMWInst::Or, kNone},
    {"xor", AtomicRMWInst::Xor, AtomicRMWInst::Xor, kNone},
    {"exch", AtomicRMWInst::Xchg, AtomicRMWInst::Xchg, AtomicRMWInst::Xchg},
    {"inc", AtomicRMWInst::UIncWrap, AtomicRMWInst::UIncWrap, kNone},
    {"dec", AtomicRMWInst::UDecWrap, AtomicRMWInst::UDecWrap, kNone},
};

const Operation& take_operation(Emitter& e) {
  for (const Operation& o : kOperations)
    if (e.take(o.name)) return o;
  e.fail("the atomic operation is none of .add, .min, .max, .and, .or, .xor, .inc, .dec, .exch, .cas");
}

// The old value.
Value* compare_and_swap(Emitter& e, Type type, StringRef space, Order order, unsigned address) {
  Value* pointer = pointer_of(e, e.operand(address), space);
  const AtomicOrdering failure = AtomicCmpXchgInst::getStrongestFailureOrdering(order.order);
  auto* exchange = e.b.CreateAtomicCmpXchg(pointer, e.read(address + 1, type), e.read(address + 2, type),
                                           Align(type.size() / 8), order.order, failure);
  exchange->setVolatile(order.is_of_system);
  return e.b.CreateExtractValue(exchange, 0);
}

// Halves: by a loop of compare-and-swaps in the prelude's functions.
Value* half_addition(Emitter& e, Type type, StringRef space, unsigned address) {
  e.take("noftz");
  Value* pointer = e.b.CreateAddrSpaceCast(pointer_of(e, e.operand(address), space), e.b.getPtrTy());
  const StringRef name = type.kind == Type::Brain ? "atomic_add_bf16" : "atomic_add_f16";
  return e.helper(name + (type.elements == 2 ? "x2" : ""), Type{Type::Bits, type.size()},
                  {pointer, e.read(address + 1, type)});
}

Value* modify(Emitter& e, Type type, StringRef space, Order order, unsigned address) {
  const Operation& operation = take_operation(e);
  if (type.is_half() && operation.name == "add") return half_addition(e, type, space, address);
  const auto kind = type.is_float()    ? operation.of_float
                    : type.is_signed() ? operation.of_signed
                                       : operation.of_unsigned;
  if (kind == kNone || type.is_half()) e.fail("the atomic operation ." + operation.name + " is none of this type");
  auto* update = e.b.CreateAtomicRMW(kind, pointer_of(e, e.operand(address), space), e.read(address + 1, type),
                                     Align(type.size() / 8), order.order);
  update->setVolatile(order.is_of_system);
  return update;
}

// atom has a destination, red has none.
void atomic(Emitter& e, bool with_result) {
  const Type type = e.take_type();
  const bool policy = take_cache_hints(e);
  const StringRef space = take_space(e);
  if (space == "local" || space == "const") e.fail("atomic operations are for global and shared memory");
  const Order order = take_order(e, AtomicOrdering::Monotonic);
  const bool swap = with_result && e.take("cas");
  const unsigned first = with_result ? 1 : 0;
  e.expect_operands(first + (swap ? 3 : 2) + policy);
  Value* old = swap ? compare_and_swap(e, type, space, order, first) : modify(e, type, space, order, first);
  if (with_result) e.write(old, type);
}

void atom(Emitter& e) { atomic(e, true); }
void red(Emitter& e) { atomic(e, false); }

void membar(Emitter& e) {
  e.need_one({"cta", "gl", "sys"});
  e.expect_operands(0);
  e.b.CreateFence(AtomicOrdering::SequentiallyConsistent);
}

void fence(Emitter& e) {
  // Proxies: there is one way to memory here.
  if (e.take("proxy")) {
    for (StringRef m : {"async", "alias", "async.global", "global", "shared", "shared::cta"}) e.take(m);
  }
  e.take_prefixed("mbarrier_init");
  e.b.CreateFence(take_order(e, AtomicOrdering::SequentiallyConsistent).order);
}

}  // namespace

void add_atomics(Instructions& table) {
  table["atom"] = atom;
  table["red"] = red;
  table["membar"] = membar;
  table["fence"] = fence;
}

}  // namespace lanza::compiler::ptx
