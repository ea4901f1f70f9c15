#include "compiler/passes/vector/scalars/version_guards.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"
#include "compiler/passes/vector/scalars/guard_assumptions.hpp"
#include "compiler/passes/vector/scalars/guarded_pieces.hpp"
#include "compiler/passes/vector/scalars/strided_loop.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 1500;  // instructions of a piece of code that is copied
constexpr unsigned kBudget = 3000;   // of all copies of a kernel
constexpr unsigned kSmallest = 6;    // below, masks cost less than the test
constexpr size_t kManyGuards = 4;    // one after the other: tested together

using Piece = GuardedPiece;

class GuardVersions {
 public:
  GuardVersions(Function& kernel, const GroupShape& group)
      : kernel_(kernel), dominators_(kernel), loops_(dominators_), shapes_(kernel, group) {}

  bool run() {
    find_pieces();
    if (!has_guards_) return version_whole_kernel();
    if (are_taps() && version_whole_kernel(/*settles_all=*/true)) return true;
    version_behind_barriers();
    for (ArrayRef<Piece> rest = pieces_; !rest.empty();) {
      const ArrayRef<Piece> row = rest.take_front(length_of_row(rest));
      const bool together = (row.size() >= kManyGuards || asks_one_limit(row)) && version_row(row);
      changed_ |= together;
      for (const Piece& piece : together ? ArrayRef<Piece>() : row) changed_ |= version(piece);
      rest = rest.drop_front(row.size());
    }
    return changed_;
  }

 private:
  // The outermost guards; no piece is inside another.
  void find_pieces() {
    SmallPtrSet<BasicBlock*, 16> taken;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_)) {
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (taken.contains(block) || !branch || !branch->isConditional() || !shapes_.is_divergent(branch)) continue;
      if (Loop* loop = loops_.getLoopFor(block); loop && loop->isLoopExiting(block)) continue;  // no exit is added
      for (unsigned side = 0; side < 2; ++side) {
        Piece piece{branch, branch->getSuccessor(side), side == 0, {}};
        if (piece.head->getSinglePredecessor() != block || !collect_piece(piece, dominators_, kLargest) ||
            is_loop_guard(piece.head, branch->getSuccessor(1 - side), loops_, shapes_))
          continue;
        const bool is_walk = branch->hasMetadata(kForSomeLanes);
        BasicBlock* other = branch->getSuccessor(1 - side);
        if (!is_walk && other->getSinglePredecessor() && !leaves(*other) &&
            !outweighs(*piece.head, *other, loops_, dominators_))
          continue;
        taken.insert(piece.blocks.begin(), piece.blocks.end());
        has_guards_ = true;
        if (!is_walk) pieces_.push_back(std::move(piece));
        break;
      }
    }
  }

  // Guards of what a thread reads around its place: several, or asked in each turn, and too small for copies of their
  // own.
  bool are_taps() const {
    if (any_of(pieces_, [&](const Piece& p) { return loops_.getLoopFor(p.head); })) return true;
    return pieces_.size() > 1 && none_of(pieces_, [](const Piece& piece) {
             return any_of(piece.blocks, [](const BasicBlock* block) {
               return any_of(*block, [](const Instruction& i) { return i.mayWriteToMemory(); });
             });
           });
  }

  static bool leaves(const BasicBlock& block) {
    return isa<ReturnInst>(block.getTerminator()) && &block.front() == block.getTerminator();
  }

  // Which two or three elements of a thread's tile are below.
  static bool asks_one_limit(ArrayRef<Piece> row) {
    auto limit_of = [](const Piece& piece) -> const Value* {
      auto* asked = dyn_cast<ICmpInst>(piece.guard->getCondition());
      return asked ? asked->getOperand(1) : nullptr;
    };
    const Value* limit = limit_of(row.front());
    return row.size() > 1 && limit && all_of(row, [&](const Piece& piece) { return limit_of(piece) == limit; });
  }

  // `if (a < n) ...; if (b < n) ...; if (c < n) ...;`, as of the elements of a thread's tile: in the copy they follow
  // on each other, and their accesses are found to be of neighbours.
  bool version_row(ArrayRef<Piece> row) {
    Piece all;
    BasicBlock* entry = row[0].guard->getParent();
    all.head = SplitBlock(entry, row[0].guard, &dominators_, &loops_);
    all.guard = cast<BranchInst>(entry->getTerminator());
    return collect_row(all, row) && all.size <= kLargest && version_all(all);
  }

  bool version(const Piece& piece) {
    if (grown_ + piece.size > kBudget || !piece.has_memory) return false;
    GuardAssumptions assumptions(piece, shapes_, loops_, dominators_);
    if (!assumptions.take_guard()) return false;
    assumptions.take_edges();
    if (!assumptions.has_edges() && piece.size < kSmallest) return false;
    Value* all = assumptions.all();
    BranchInst* guard = piece.guard;
    BasicBlock *before = guard->getParent(),
               *slow = BasicBlock::Create(kernel_.getContext(), "some", &kernel_, piece.head);
    guard->moveBefore(*slow, slow->end());
    for (BasicBlock* to : successors(slow)) to->replacePhiUsesWith(before, slow);
    BasicBlock* fast = copy(piece, assumptions, before);
    IRBuilder<>(before).CreateCondBr(all, fast, slow);
    if (!assumptions.has_windows()) mark_edge(piece);
    return true;
  }

  // What is asked in each turn of a loop is asked once, behind the last barrier in front of it.
  void version_behind_barriers() {
    SmallPtrSet<BasicBlock*, 16> taken;
    for (const Piece& piece : pieces_) {
      if (taken.contains(piece.head) || !loops_.getLoopFor(piece.head)) continue;
      Instruction* barrier = last_barrier_before(*piece.guard->getParent());
      if (!barrier || loops_.getLoopFor(barrier->getParent())) continue;
      Piece rest = all_from(*barrier->getNextNode());
      if (!collect_piece(rest, dominators_, kLargest) || !version_all(rest, /*settles_all=*/true)) continue;
      changed_ = true;
      taken.insert(rest.blocks.begin(), rest.blocks.end());
    }
    erase_if(pieces_, [&](const Piece& piece) { return taken.contains(piece.head); });
  }

  Instruction* last_barrier_before(BasicBlock& block) const {
    for (auto* node = dominators_.getNode(&block); node; node = node->getIDom())
      for (Instruction& i : reverse(*node->getBlock()))
        if (as_sync(i)) return &i;
    return nullptr;
  }

  // A branch to test at, with all the rest behind it.
  Piece all_from(Instruction& first) {
    Piece piece;
    BasicBlock* before = first.getParent();
    piece.head = SplitBlock(before, &first, &dominators_, &loops_);
    piece.guard = cast<BranchInst>(before->getTerminator());
    return piece;
  }

  // Without a guard, only edges are worth a copy. `settles_all`: only if in the copy all guards are known.
  bool version_whole_kernel(bool settles_all = false) {
    Piece piece = all_from(*kernel_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    return collect_piece(piece, dominators_, kLargest) && piece.has_memory && version_all(piece, settles_all);
  }

  // The piece's guard is none, but leads to it.
  bool version_all(const Piece& piece, bool settles_all = false) {
    if (grown_ + piece.size > kBudget) return false;
    GuardAssumptions assumptions(piece, shapes_, loops_, dominators_);
    assumptions.take_edges();
    auto is_settled = [&](const Piece& p) {
      return !piece.blocks.contains(p.head) || assumptions.settles(p.guard->getCondition());
    };
    if (settles_all && !all_of(pieces_, is_settled)) return false;
    Value* all = assumptions.all();
    if (!all) return false;
    BasicBlock* before = piece.guard->getParent();
    BasicBlock* fast = copy(piece, assumptions, before);
    piece.guard->eraseFromParent();
    IRBuilder<>(before).CreateCondBr(all, fast, piece.head);
    if (!assumptions.has_windows()) mark_edge(piece);
    return true;
  }

  void mark_edge(const Piece& piece) {
    for (BasicBlock* block : piece.blocks)
      for (Instruction& i : *block)
        if (i.mayReadOrWriteMemory()) i.setMetadata(kAtEdge, MDNode::get(kernel_.getContext(), {}));
  }

  // The fast copy's head.
  BasicBlock* copy(const Piece& piece, const GuardAssumptions& assumptions, BasicBlock* from) {
    CopiedBlocks copied(piece.blocks.getArrayRef(), ".fast");
    copied.join_exits();
    BasicBlock* head = copied.of(piece.head);
    if (piece.guard->getParent() != from) head->replacePhiUsesWith(piece.guard->getParent(), from);
    for (const auto& r : assumptions.replaced) copied.replace(r.edge, copied.of(r.index));
    for (const auto& k : assumptions.known)
      copied.replace(k.condition, ConstantInt::getBool(kernel_.getContext(), k.truth));
    grown_ += piece.size;
    return head;
  }

  Function& kernel_;
  DominatorTree dominators_;
  LoopInfo loops_;
  Shapes shapes_;
  std::vector<Piece> pieces_;
  unsigned grown_ = 0;
  bool has_guards_ = false, changed_ = false;
};

}  // namespace

bool version_guards(Function& kernel, const GroupShape& group) { return GuardVersions(kernel, group).run(); }

}  // namespace lanza::compiler
