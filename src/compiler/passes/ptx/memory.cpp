// ld, ldu, st, cp.async, prefetches and cache policies.
#include "compiler/passes/ptx/instructions.hpp"

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

StringRef take_space(Emitter& e) {
  if (e.take("shared") || e.take("shared::cta")) return "shared";
  for (StringRef space : {"global", "local", "const"})
    if (e.take(space)) return space;
  if (e.take("shared::cluster")) e.fail("clusters of blocks are not supported");
  if (e.take("param") || e.take("param::entry") || e.take("param::func"))
    e.fail("kernel parameters cannot be reached from inline PTX: pass them as operands");
  return {};
}

bool take_cache_hints(Emitter& e) {
  while (!e.take_one({"ca", "cg", "cs", "lu", "cv", "wb", "wt"}).empty()) {
  }
  e.take_prefixed("L1::");
  const bool policy = e.take("L2::cache_hint");
  e.take_prefixed("L2::");
  return policy;
}

Value* shared_base(Emitter& e) {
  auto* call = cast<CallInst>(e.call(kSharedBase, e.b.getPtrTy(), {}));
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::WillReturn);
  return call;
}

Value* pointer_of(Emitter& e, const Operand& operand, StringRef space) {
  if (operand.kind != Operand::Address) e.fail("an address in brackets is missing");
  Value* address = e.b.getInt64(static_cast<std::uint64_t>(operand.offset));
  if (!operand.elements.empty()) {
    const Operand& base = operand.elements[0];
    Value* value = e.load_register(base.name);
    if (value->getType()->getIntegerBitWidth() < 32) e.fail("an address has 32 or 64 bits");
    address = e.b.CreateAdd(e.b.CreateZExtOrTrunc(value, e.b.getInt64Ty()), address);
    if (space != "shared" && value->getType()->getIntegerBitWidth() != 64)
      e.fail("a generic or global address has 64 bits; only shared ones may have 32");
  }
  if (space != "shared") return e.b.CreateIntToPtr(address, e.b.getPtrTy());
  // Offsets into shared memory have 32 bits, in 64-bit registers too.
  Value* offset = e.b.CreateAnd(address, 0xffffffffu);
  Value* pointer = e.b.CreateGEP(e.b.getInt8Ty(), shared_base(e), offset);
  return e.b.CreateAddrSpaceCast(pointer, e.b.getPtrTy(3));
}

namespace {

struct Access {
  StringRef space;
  AtomicOrdering ordering = AtomicOrdering::NotAtomic;
  bool is_volatile = false;
  unsigned elements = 1;
  Type type;
};

Access take_access(Emitter& e) {
  Access a;
  a.type = e.take_type();
  const StringRef vector = e.take_one({"v2", "v4", "v8"});
  a.elements = vector.empty() ? 1 : static_cast<unsigned>(vector[1] - '0');
  a.space = take_space(e);
  const StringRef order = e.take_one({"weak", "volatile", "relaxed", "acquire", "release", "mmio"});
  e.take_one({"cta", "cluster", "gpu", "sys"});
  a.is_volatile = order == "volatile" || order == "mmio";
  // An access of a volatile statement happens once each time: a loop may watch others with it.
  const bool once = e.statement_is_volatile && !a.is_volatile;
  a.ordering = order == "acquire"           ? AtomicOrdering::Acquire
               : order == "release"         ? AtomicOrdering::Release
               : order == "relaxed" || once ? AtomicOrdering::Monotonic
                                            : AtomicOrdering::NotAtomic;
  return a;
}

// The registers of a vector, or the one register.
ArrayRef<Operand> registers(Emitter& e, const Operand& operand, unsigned elements) {
  if (elements == 1 && operand.kind != Operand::Vector) return operand;
  if (operand.kind != Operand::Vector || operand.elements.size() != elements)
    e.fail("a vector of " + Twine(elements) + " registers in braces is missing");
  return operand.elements;
}

Value* element_address(Emitter& e, Value* pointer, const Access& a, unsigned i) {
  return e.b.CreateConstGEP1_64(e.b.getInt8Ty(), pointer, std::uint64_t{a.type.size()} / 8 * i);
}

template <class Instruction>
void mark(Instruction& access, const Access& a) {
  access.setVolatile(a.is_volatile);
  if (a.ordering != AtomicOrdering::NotAtomic && a.type.size() <= 64) access.setAtomic(a.ordering);
}

void ld(Emitter& e) {
  const bool policy = take_cache_hints(e);
  const Access a = take_access(e);
  e.take("nc");
  e.expect_operands(policy ? 3 : 2);
  Value* pointer = pointer_of(e, e.operand(1), a.space);
  const auto targets = registers(e, e.operand(0), a.elements);
  SmallVector<Value*, 8> values;  // all are read before the first is written: a target may be the address
  for (unsigned i = 0; i < a.elements; ++i) {
    auto* load = e.b.CreateAlignedLoad(e.b.getIntNTy(a.type.size()), element_address(e, pointer, a, i),
                                       Align(a.type.size() / 8));
    mark(*load, a);
    values.push_back(load);
  }
  for (unsigned i = 0; i < a.elements; ++i) e.write_wide(targets[i], values[i], a.type);
}

void st(Emitter& e) {
  const bool policy = take_cache_hints(e);
  const Access a = take_access(e);
  e.expect_operands(policy ? 3 : 2);
  Value* pointer = pointer_of(e, e.operand(0), a.space);
  const auto sources = registers(e, e.operand(1), a.elements);
  for (unsigned i = 0; i < a.elements; ++i) {
    Value* value = e.b.CreateBitCast(e.read_narrow(sources[i], a.type), e.b.getIntNTy(a.type.size()));
    mark(*e.b.CreateAlignedStore(value, element_address(e, pointer, a, i), Align(a.type.size() / 8)), a);
  }
}

// Hints to caches.
void nothing(Emitter& e) {
  take_cache_hints(e);
  take_space(e);
  e.take_one({"tensormap"});
  for (StringRef level : {"L1", "L2"}) e.take(level);
}

// A policy is a number that the hints then carry.
void createpolicy(Emitter& e) {
  const Type type = e.take_type();
  take_cache_hints(e);
  e.take_one({"fractional", "range", "cvt"});
  e.take("global");
  e.take("L2");
  e.write(e.integer(type, 0), type);
}

// A thread's copies arrive when they are done, which is now; without .noinc the barrier has waited for one more.
void copies_arrive(Emitter& e) {
  e.need_one({"arrive"});
  const bool counted = e.take("noinc");
  const std::string space = take_space(e).str();
  if (e.take_type().size() != 64) e.fail("the barrier has the type .b64");
  e.expect_operands(1);
  Value* barrier = e.b.CreateAddrSpaceCast(pointer_of(e, e.operand(0), space), e.b.getPtrTy());
  if (counted) e.helper("mbarrier_arrive", {Type::Bits, 64}, {barrier, e.b.getInt32(1)});
}

// Asynchronous copies are done at once; what waits for them need not.
void cp(Emitter& e) {
  if (!e.take("async")) e.fail("of cp only cp.async is supported");
  if (!e.take_one({"commit_group", "wait_group", "wait_all"}).empty()) return;
  if (e.take("mbarrier")) return copies_arrive(e);
  if (e.take("bulk")) e.fail("bulk copies are not supported in inline PTX");
  const bool policy = take_cache_hints(e);
  if (take_space(e) != "shared" || take_space(e) != "global") e.fail("cp.async copies from global to shared memory");
  e.expect_operands(3, policy ? 5 : 4);
  Value *to = pointer_of(e, e.operand(0), "shared"), *from = pointer_of(e, e.operand(1), "global");
  const std::uint64_t size = e.constant(2);
  if (size != 4 && size != 8 && size != 16) e.fail("cp.async copies 4, 8 or 16 bytes");
  if (e.operands() - policy < 4) {
    e.b.CreateMemCpy(to, Align(4), from, Align(4), size);
    return;
  }
  // What the source does not have is zero.
  Value* given =
      e.b.CreateBinaryIntrinsic(Intrinsic::umin, e.read(3, kWord), e.b.getInt32(static_cast<unsigned>(size)));
  e.b.CreateMemSet(to, e.b.getInt8(0), size, Align(4));
  e.b.CreateMemCpy(to, Align(4), from, Align(1), e.b.CreateZExt(given, e.b.getInt64Ty()));
}

}  // namespace

void add_memory(Instructions& table) {
  table["ld"] = table["ldu"] = ld;
  table["st"] = st;
  table["cp"] = cp;
  table["createpolicy"] = createpolicy;
  for (StringRef name : {"prefetch", "prefetchu", "applypriority", "discard"}) table[name] = nothing;
}

}  // namespace lanza::compiler::ptx
