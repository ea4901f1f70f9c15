#include "compiler/passes/vector/scalars/version_sums.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"
#include "compiler/passes/vector/scalars/index_sums.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 600;  // instructions of a piece
constexpr unsigned kBudget = 2000;  // of all copies of a kernel
constexpr unsigned kMostTests = 32;
constexpr unsigned kShortest = 4;  // bytes that processors gather

/// Code of a single entry, `head`, that is copied.
struct Piece {
  Loop* loop = nullptr;  ///< else from `first` to `last`, of one block
  Instruction *first = nullptr, *last = nullptr;
  SmallSetVector<Instruction*, 16> chain;  ///< from sums to the addresses that are made of them
  std::unique_ptr<SumTests> tests;
  Value* all = nullptr;
  BasicBlock *before = nullptr, *head = nullptr, *after = nullptr;  ///< once it is cut out
  SmallSetVector<BasicBlock*, 8> blocks;
  DenseMap<const Value*, Instruction*> own{};  ///< what has moved in, of the chain
};

class SumVersions {
 public:
  SumVersions(Function& kernel, const GroupShape& group, ScalarEvolution& evolution)
      : kernel_(kernel), dominators_(kernel), loops_(dominators_), shapes_(kernel, group), evolution_(evolution) {}

  bool run() {
    for (Loop* loop : reverse(loops_)) take_loop(*loop);
    for (BasicBlock& block : kernel_)
      if (!loops_.getLoopFor(&block)) take_block(block);
    for (Piece& piece : pieces_) piece.all = piece.tests->all();
    for (Piece& piece : pieces_) cut_out(piece);
    for (Piece& piece : pieces_) localise(piece);
    for (Piece& piece : pieces_) version(piece);
    return !pieces_.empty();
  }

 private:
  // The sums on the way to an address, whose every step is put into `chain`.
  void find_sums(Value* value, SmallSetVector<Instruction*, 16>& chain, SmallVectorImpl<IndexSum>& sums,
                 unsigned depth = 8) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || depth == 0 || !shapes_[i].is_varying() || i->getType()->isVectorTy()) return;
    if (auto* extension = dyn_cast<CastInst>(i)) {
      if (auto sum = index_sum(*extension, shapes_, evolution_)) {
        chain.insert(i);
        if (none_of(sums, [&](const IndexSum& s) { return s.extension == extension; })) sums.push_back(std::move(*sum));
      }
      return;
    }
    if (!isa<GetElementPtrInst, BinaryOperator>(i)) return;
    const size_t before = chain.size();
    bool leads = false;
    for (Value* operand : i->operands()) {
      find_sums(operand, chain, sums, depth - 1);
      auto* part = dyn_cast<Instruction>(operand);
      leads |= part && chain.contains(part);
    }
    if (leads || chain.size() != before) chain.insert(i);
  }

  // Of bytes and shorts a gather is a load for each lane, of which there are many: also at the edge, where few groups
  // come by (local binary patterns of 640 x 512: half of the time).
  bool is_short(Instruction& access) const {
    return getLoadStorePointerOperand(&access) &&
           kernel_.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)) < kShortest;
  }

  void find_sums_of(Instruction& access, SmallSetVector<Instruction*, 16>& chain, SmallVectorImpl<IndexSum>& sums) {
    if (access.hasMetadata(kAtEdge) && !is_short(access)) return;
    if (Value* address = getLoadStorePointerOperand(&access)) find_sums(address, chain, sums);
  }

  // False: it synchronises, or is too large.
  bool may_be_copied(const Loop& loop) const {
    unsigned size = 0;
    for (BasicBlock* block : loop.blocks()) {
      size += block->sizeWithoutDebug();
      if (!all_of(*block, [&](Instruction& i) { return may_be_copied(i); })) return false;
    }
    return grown_ + size <= kBudget && size <= kLargest;
  }

  static bool may_be_copied(Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return !as_sync(i) && !(call && call->cannotDuplicate());
  }

  void take_loop(Loop& loop) {
    if (take_whole_loop(loop)) return;
    for (Loop* inner : loop) take_loop(*inner);
    for (BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop) take_block(*block);
  }

  bool take_whole_loop(Loop& loop) {
    BasicBlock* before = loop.getLoopPreheader();
    if (!before || !loop.hasDedicatedExits() || !may_be_copied(loop)) return false;
    Piece piece{&loop};
    SmallVector<IndexSum, 8> sums;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& i : *block) find_sums_of(i, piece.chain, sums);
    if (sums.empty() || sums.size() > kMostTests) return false;
    piece.tests = std::make_unique<SumTests>(before->getTerminator(), dominators_, shapes_);
    if (!all_of(sums, [&](const IndexSum& sum) { return piece.tests->take(sum); })) return false;
    for (BasicBlock* block : loop.blocks()) grown_ += block->sizeWithoutDebug();
    pieces_.push_back(std::move(piece));
    return true;
  }

  // Of a record, whose other members may be among the accesses before.
  bool is_member(Instruction& i) const {
    const Value* address = getLoadStorePointerOperand(&i);
    if (!address || !shapes_[address].is_strided()) return false;
    const auto size = static_cast<int64_t>(kernel_.getDataLayout().getTypeStoreSize(getLoadStoreType(&i)));
    const int64_t stride = std::abs(shapes_[address].stride);
    return stride > size && stride <= kMostInterleaved * size;
  }

  // Runs of instructions whose sums can be asked in front of their first access.
  void take_block(BasicBlock& block) {
    Piece piece;
    auto end = [&] {
      if (piece.first) pieces_.push_back(std::move(piece));
      piece = {};
    };
    for (Instruction& i : block) {
      if (!may_be_copied(i)) {
        end();
        continue;
      }
      SmallSetVector<Instruction*, 16> chain;
      SmallVector<IndexSum, 4> sums;
      find_sums_of(i, chain, sums);
      if (sums.empty()) {
        if (piece.first && is_member(i)) piece.last = &i;
        continue;
      }
      if (piece.first && !take_all(piece, sums)) end();
      if (!piece.first) {
        if (pieces_.size() > kMostTests) return;
        piece.tests = std::make_unique<SumTests>(&i, dominators_, shapes_);
        if (!take_all(piece, sums)) {
          piece = {};
          continue;
        }
        piece.first = &i;
      }
      piece.last = &i;
      piece.chain.insert(chain.begin(), chain.end());
    }
    end();
  }

  static bool take_all(Piece& piece, ArrayRef<IndexSum> sums) {
    return all_of(sums, [&](const IndexSum& sum) {
      return any_of(piece.tests->sums(), [&](const IndexSum& s) { return s.extension == sum.extension; }) ||
             piece.tests->take(sum);
    });
  }

  void cut_out(Piece& piece) {
    if (piece.loop) {
      piece.before = piece.loop->getLoopPreheader();
      piece.head = SplitBlock(piece.before, piece.before->getTerminator());
      piece.blocks.insert(piece.loop->block_begin(), piece.loop->block_end());
    } else {
      piece.before = piece.first->getParent();
      piece.head = SplitBlock(piece.before, piece.first);
      piece.after = SplitBlock(piece.head, piece.last->getNextNode());
    }
    piece.blocks.insert(piece.head);
  }

  // What leads to the piece's addresses from outside of it moves in, so that it has a copy.
  static void localise(Piece& piece) {
    auto remap = [&](Instruction& i) {
      for (Use& operand : i.operands())
        if (Instruction* own = piece.own.lookup(operand)) operand.set(own);
    };
    Instruction* at = piece.head->getFirstNonPHI();
    for (Instruction* i : piece.chain) {  // operands first
      if (piece.blocks.contains(i->getParent())) continue;
      Instruction* own = i->clone();
      own->insertBefore(at);
      remap(*own);
      piece.own[i] = own;
    }
    for (BasicBlock* block : piece.blocks)
      for (Instruction& i : *block)
        if (piece.chain.contains(&i) || getLoadStorePointerOperand(&i)) remap(i);
  }

  void version(Piece& piece) {
    CopiedBlocks copied(piece.blocks.getArrayRef(), ".steady");
    if (piece.loop)
      copied.join_exits();
    else
      join_values(*piece.head, *piece.after, copied);
    for (unsigned k = 0; k < piece.tests->sums().size(); ++k) replace(piece, k, copied);
    for (BasicBlock* block : piece.blocks)
      for (Instruction& i : *block)
        if (isa<StoreInst>(i)) i.setMetadata(kWraps, MDNode::get(kernel_.getContext(), {}));
    piece.before->getTerminator()->eraseFromParent();
    IRBuilder<>(piece.before).CreateCondBr(piece.all, copied.of(piece.head), piece.head);
  }

  // What stands for a value behind another piece that has computed it.
  Value* joined(Value* value) const {
    Value* phi = joined_.lookup(value);
    return phi ? phi : value;
  }

  void replace(Piece& piece, unsigned k, const CopiedBlocks& copied) {
    Instruction* extension = piece.tests->sums()[k].extension;
    if (Instruction* own = piece.own.lookup(extension)) extension = own;
    auto* copy = cast<Instruction>(copied.of(extension));
    if (copy == extension) return;
    IRBuilder<> b(copy);
    copy->replaceAllUsesWith(piece.tests->extended(k, b, [&](Value* part) {
      Value* own = copied.of(part);
      return own == part ? joined(part) : own;
    }));
    mark_sum(piece.tests->sums()[k], *extension, *copy);
    copy->eraseFromParent();
  }

  // What else is made of the 32 bits, such as `i / 16`, learns that they do not wrap either.
  static void mark_sum(const IndexSum& sum, const Instruction& original, const Instruction& copy) {
    auto* addition = dyn_cast<BinaryOperator>(original.getOperand(0));
    if (copy.getOperand(0) == addition || !addition || addition->getOpcode() != Instruction::Add) return;
    auto is_operand = [&](const IndexSum::Parts& parts) {
      return parts.size() == 1 && parts.front().factor == 1 && is_contained(addition->operands(), parts.front().value);
    };
    if (sum.constant != 0 || !is_operand(sum.uniform) || !is_operand(sum.varying)) return;
    auto* own = cast<BinaryOperator>(copy.getOperand(0));
    if (sum.is_signed())
      own->setHasNoSignedWrap();
    else
      own->setHasNoUnsignedWrap();
  }

  void join_values(BasicBlock& original, BasicBlock& after, const CopiedBlocks& copied) {
    for (Instruction& i : original) {
      if (i.isTerminator() || !i.isUsedOutsideOfBlock(&original)) continue;
      PHINode* phi = PHINode::Create(i.getType(), 2, i.getName(), after.begin());
      i.replaceUsesOutsideBlock(phi, &original);
      phi->addIncoming(&i, &original);
      phi->addIncoming(copied.of(&i), copied.of(&original));
      joined_[&i] = phi;
    }
  }

  Function& kernel_;
  DominatorTree dominators_;
  LoopInfo loops_;
  const Shapes shapes_;
  ScalarEvolution& evolution_;
  std::vector<Piece> pieces_;
  DenseMap<const Value*, Value*> joined_;
  unsigned grown_ = 0;
};

}  // namespace

bool version_sums(Function& kernel, const GroupShape& group, ScalarEvolution& evolution) {
  return SumVersions(kernel, group, evolution).run();
}

}  // namespace lanza::compiler
