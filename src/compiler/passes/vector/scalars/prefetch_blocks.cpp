#include "compiler/passes/vector/scalars/prefetch_blocks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastRows = 8;  // of threads: fewer the processor follows
constexpr unsigned kMostLoads = 16;
constexpr unsigned kMostDepth = 16;
constexpr unsigned kAhead = 2;        // blocks: one is shorter than the way from memory, and two may run side by side
constexpr unsigned kSecondCache = 2;  // as llvm.prefetch calls it

/// Values as a later block has them.
class LaterBlock {
 public:
  static bool is_block_index(const Instruction& i) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
  }

  /// Computed beside the value. The value itself where it is the same, or where that is not known.
  Value* ahead(Value* value, unsigned depth = kMostDepth) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || depth == 0) return value;
    if (const auto known = ahead_.find(i); known != ahead_.end()) return known->second;
    Value* there = is_block_index(*i)
                       ? IRBuilder<>(i->getNextNode()).CreateAdd(i, ConstantInt::get(i->getType(), kAhead))
                       : copy(*i, depth - 1);
    return ahead_[i] = there;
  }

 private:
  // Divisions might be by 0 there.
  static bool is_sum_or_product(const Instruction& i) {
    return isa<GetElementPtrInst, CastInst>(i) || (isa<BinaryOperator>(i) && !i.isIntDivRem());
  }

  Value* copy(Instruction& i, unsigned depth) {
    if (!is_sum_or_product(i)) return &i;
    const SmallVector<Value*, 4> there(map_range(i.operands(), [&](Value* operand) { return ahead(operand, depth); }));
    if (equal(i.operands(), there, [](const Use& operand, Value* value) { return operand == value; })) return &i;
    Instruction* copy = i.clone();
    for (unsigned k = 0; k < there.size(); ++k) copy->setOperand(k, there[k]);
    copy->insertBefore(i.getNextNode());
    return copy;
  }

  DenseMap<const Instruction*, Value*> ahead_;
};

/// How a value goes along with blockIdx.x: not at all, by the same for each block, or by what only the launch knows.
enum class Pace { None, Known, Unknown };

Pace pace_of(const Value& value, unsigned depth = kMostDepth) {
  auto* i = dyn_cast<Instruction>(&value);
  if (!i || depth == 0) return Pace::None;
  if (LaterBlock::is_block_index(*i)) return Pace::Known;
  if (isa<PHINode>(i)) return Pace::None;
  Pace pace = Pace::None;
  bool is_product = i->getOpcode() == Instruction::Mul;
  for (const Value* operand : i->operand_values()) {
    pace = std::max(pace, pace_of(*operand, depth - 1));
    is_product &= !isa<ConstantInt>(operand);
  }
  return is_product && pace == Pace::Known ? Pace::Unknown : pace;
}

bool writes_along_rows(Function& kernel) {
  return all_of(instructions(kernel), [](Instruction& i) {
    auto* store = dyn_cast<StoreInst>(&i);
    return !store || is_shared_memory(store->getPointerOperand()) ||
           pace_of(*store->getPointerOperand()) != Pace::Unknown;
  });
}

/// Loads of a basic block that lie in one line of the cache, but for its end: a stencil's in its row.
class NearLoads {
 public:
  explicit NearLoads(const Function& kernel) : layout_(kernel.getDataLayout()) {}

  bool is_known(const LoadInst& load) {
    if (load.getParent() != block_) known_.clear();
    block_ = load.getParent();
    AddressTerms terms = terms_of(load.getPointerOperand(), layout_);
    const bool is_near = any_of(known_, [&](const AddressTerms& other) {
      return other.has_same_terms(terms) && static_cast<int64_t>(terms.constant - other.constant) < kLine &&
             static_cast<int64_t>(other.constant - terms.constant) < kLine;
    });
    if (!is_near) known_.push_back(std::move(terms));
    return is_near;
  }

 private:
  static constexpr int64_t kLine = 64;  // bytes

  const DataLayout& layout_;
  const BasicBlock* block_ = nullptr;
  std::vector<AddressTerms> known_;
};

// Between the blocks only: who goes round barriers takes so long that the cache has lost what was asked for.
bool waits_once(Function& kernel, const LoopInfo& loops) {
  return has_sync(kernel) &&
         none_of(instructions(kernel), [&](Instruction& i) { return as_sync(i) && loops.getLoopFor(i.getParent()); });
}

}  // namespace

bool prefetch_blocks(Function& kernel, const GroupShape& group, const LoopInfo& loops, const TargetMachine& host) {
  if (group.lanes == 1 || group.whole_rows || group.block[1] * group.block[2] < kLeastRows) return false;
  if (!waits_once(kernel, loops) || (follows_rows(host) && writes_along_rows(kernel))) return false;
  LaterBlock later;
  NearLoads near(kernel);
  unsigned asked = 0;
  for (Instruction& i : make_early_inc_range(instructions(kernel))) {
    auto* load = dyn_cast<LoadInst>(&i);
    if (!load || !load->isSimple() || loops.getLoopFor(load->getParent())) continue;
    Value* there = later.ahead(load->getPointerOperand());
    if (there == load->getPointerOperand() || near.is_known(*load)) continue;
    IRBuilder<> b(load);
    b.CreateIntrinsic(Intrinsic::prefetch, {there->getType()},
                      {there, b.getInt32(0), b.getInt32(kSecondCache), b.getInt32(1)});
    if (++asked == kMostLoads) break;
  }
  return asked != 0;
}

}  // namespace lanza::compiler
