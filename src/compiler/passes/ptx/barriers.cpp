// bar, barrier, nanosleep, trap, exit and what needs no code.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

struct Barrier {
  Value *id, *threads;
};

// The barrier at operand `i`, and the number of threads after it if there is one before operand `end`.
Barrier barrier_at(Emitter& e, unsigned i, unsigned end) {
  return {e.read(i, kWord), i + 1 < end ? e.read(i + 1, kWord) : e.b.getInt32(0)};
}

void reduction(Emitter& e, StringRef how) {
  const Type type = e.take_type();
  e.expect_operands(3, 4);
  const Barrier at = barrier_at(e, 1, e.operands() - 1);
  Value* flag = e.b.CreateZExt(e.read_predicate(e.operand(e.operands() - 1)), e.b.getInt32Ty());
  Value* result = e.helper("bar_red_" + how, kWord, {at.id, at.threads, flag});
  if (type.kind == Type::Predicate) return e.write_predicate(e.operand(0), e.b.CreateIsNotNull(result));
  e.write(result, kWord);
}

void bar(Emitter& e) {
  if (e.take("warp")) {
    e.take("sync");
    e.expect_operands(1);
    e.helper("bar_warp", kWord, {e.read(0, kWord)});
    return;
  }
  if (e.take("cluster")) e.fail("clusters of blocks are not supported");
  e.take("cta");
  e.take("aligned");
  const StringRef what = e.need_one({"sync", "arrive", "red"});
  if (what == "red") return reduction(e, e.need_one({"popc", "and", "or"}));
  e.expect_operands(what == "arrive" ? 2 : 1, 2);
  const Barrier at = barrier_at(e, 0, e.operands());
  e.helper("bar_" + what, kWord, {at.id, at.threads});
}

void nanosleep(Emitter& e) {
  e.take_type();
  e.expect_operands(1);
  e.helper("nanosleep", kWord, {e.read(0, kWord)});
}

// Those that do not return: what follows in the text is another block, which may be jumped to.
void leave(Emitter& e, const Twine& function) {
  e.expect_operands(0);
  e.call(function, e.b.getVoidTy(), {});
  e.b.CreateUnreachable();
  e.b.SetInsertPoint(BasicBlock::Create(e.b.getContext(), "", e.b.GetInsertBlock()->getParent()));
}

void trap(Emitter& e) { leave(e, kFunctionPrefix + Twine("trap")); }
void exit(Emitter& e) { leave(e, kExit); }

// A breakpoint, an event of the profiler, the order of dependent grids: nobody looks.
void nothing(Emitter& e) { e.take_one({"mask", "wait", "launch_dependents"}); }

void setmaxnreg(Emitter& e) {
  e.take_one({"inc", "dec"});
  e.take("sync");
  e.take("aligned");
  e.take_type();
}

}  // namespace

void add_barriers(Instructions& table) {
  table["bar"] = table["barrier"] = bar;
  table["nanosleep"] = nanosleep;
  table["trap"] = trap;
  table["exit"] = exit;
  table["setmaxnreg"] = setmaxnreg;
  for (StringRef name : {"brkpt", "pmevent", "griddepcontrol"}) table[name] = nothing;
}

}  // namespace lanza::compiler::ptx
