// mbarrier: barriers in memory, by the functions of the prelude, which say what their 64 bits mean.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

constexpr Type kState{Type::Bits, 64};

// The memory that operand `i` names.
Value* barrier_at(Emitter& e, unsigned i, StringRef space) {
  return e.b.CreateAddrSpaceCast(pointer_of(e, e.operand(i), space), e.b.getPtrTy());
}

void take_order(Emitter& e) {
  e.take_one({"relaxed", "acquire", "release"});
  e.take_one({"cta", "cluster"});
}

void initialise(Emitter& e, StringRef space) {
  e.expect_operands(2);
  e.helper("mbarrier_init", kWord, {barrier_at(e, 0, space), e.read(1, kWord)});
}

// With a state in front, or without one; 1 arrives where no number is given.
void arrive(Emitter& e, StringRef space, StringRef how) {
  if (e.take("expect_tx")) e.fail("asynchronous copies that a barrier counts are not supported");
  e.take("noComplete");
  const unsigned at = e.operand(0).kind == Operand::Address ? 0 : 1;
  e.expect_operands(at + 1, at + 2);
  Value* count = at + 1 < e.operands() ? e.read(at + 1, kWord) : e.b.getInt32(1);
  Value* state = e.helper("mbarrier_" + how, kState, {barrier_at(e, at, space), count});
  if (at == 1 && !e.is_sink(e.operand(0))) e.write(state, kState);
}

// A thread may wait for a while in try_wait; none does here. A time to wait is the last operand.
void wait(Emitter& e, StringRef space, bool may_suspend) {
  const bool parity = e.take("parity");
  e.expect_operands(3, may_suspend ? 4 : 3);
  Value* done = parity ? e.helper("mbarrier_test_parity", kWord, {barrier_at(e, 1, space), e.read(2, kWord)})
                       : e.helper("mbarrier_test", kWord, {barrier_at(e, 1, space), e.read(2, kState)});
  e.write_predicate(e.operand(0), e.b.CreateIsNotNull(done));
}

void pending_count(Emitter& e) {
  e.expect_operands(2);
  e.write(e.helper("mbarrier_pending", kWord, {e.read(1, kState)}), kWord);
}

void mbarrier(Emitter& e) {
  if (e.take_type().size() != 64) e.fail("the barrier has the type .b64");
  const StringRef what =
      e.need_one({"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait", "pending_count"});
  take_order(e);
  const StringRef space = take_space(e);
  if (what == "init") return initialise(e, space);
  if (what == "arrive" || what == "arrive_drop") return arrive(e, space, what);
  if (what == "test_wait" || what == "try_wait") return wait(e, space, what == "try_wait");
  if (what == "pending_count") return pending_count(e);
  e.expect_operands(1);  // inval: the memory is free for other things
}

}  // namespace

void add_mbarriers(Instructions& table) { table["mbarrier"] = mbarrier; }

}  // namespace lanza::compiler::ptx
