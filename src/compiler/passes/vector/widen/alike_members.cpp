#include "compiler/passes/vector/widen/alike_members.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int64_t kWord = 4, kMostMembers = 4;
constexpr size_t kMostValues = 1000;

using Members = SmallVector<Value*, 4>;

bool has_constant_divisor(const Instruction& division) {
  auto* divisor = dyn_cast<ConstantInt>(division.getOperand(1));
  return divisor && !divisor->isZero() && !divisor->isMinusOne();
}

bool is_elementwise(const Instruction& i) {
  if (isa<BinaryOperator>(i)) return !i.isIntDivRem() || has_constant_divisor(i);
  if (auto* call = dyn_cast<IntrinsicInst>(&i)) return isTriviallyVectorizable(call->getIntrinsicID());
  return isa<CmpInst, SelectInst, CastInst>(i) && !i.getType()->isPointerTy();
}

class AlikeMembers {
 public:
  AlikeMembers(Function& kernel, const Shapes& shapes) : layout_(kernel.getParent()->getDataLayout()), shapes_(shapes) {
    for (BasicBlock& block : kernel) find_stores(block);
  }

  DenseSet<const Instruction*> found;

 private:
  struct Store {
    StoreInst* store;
    AddressTerms terms;
  };

  bool is_short_member(Instruction& access) const {
    const Shape shape = shapes_[getLoadStorePointerOperand(&access)];
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue());
    return size < kWord && getLoadStoreType(&access)->isIntegerTy() && shape.is_strided() && shape.stride > size &&
           shape.stride % kWord == 0 && shape.stride <= kMostMembers * size;
  }

  // Of each record whose members are all stored in the block.
  void find_stores(BasicBlock& block) {
    std::vector<Store> stores;
    for (Instruction& i : block)
      if (auto* store = dyn_cast<StoreInst>(&i); store && store->isSimple() && is_short_member(*store))
        stores.push_back({store, terms_of(store->getPointerOperand(), layout_)});
    for (const Store& first : stores) {
      const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(first.store->getValueOperand()->getType()));
      const int64_t count = shapes_[first.store->getPointerOperand()].stride / size;
      SmallVector<StoreInst*, 4> record(count, nullptr);
      for (const Store& other : stores) {
        const auto distance = static_cast<int64_t>(other.terms.constant - first.terms.constant);
        if (other.terms.has_same_terms(first.terms) && distance >= 0 && distance % size == 0 && distance / size < count)
          record[distance / size] = other.store;
      }
      if (!is_contained(record, nullptr)) take(record);
    }
  }

  void take(ArrayRef<StoreInst*> record) {
    Members values;
    for (StoreInst* store : record) values.push_back(store->getValueOperand());
    known_.clear(), loads_.clear();
    if (!are_alike(values) || loads_.empty()) return;
    for (const Instruction* load : loads_)
      if (any_of(load->users(), [&](const User* user) { return !known_.contains(user); })) return;
    found.insert(loads_.begin(), loads_.end());
    found.insert(record.begin(), record.end());
  }

  bool are_alike(const Members& values) {
    if (all_of(values, [](Value* v) { return isa<Constant>(v); })) return true;
    if (all_equal(values) && shapes_.is_uniform(values[0])) return true;
    auto* first = dyn_cast<Instruction>(values[0]);
    if (!first || known_.size() > kMostValues) return false;
    if (const auto known = known_.find(first); known != known_.end()) return known->second == values[1];
    for (Value* value : values) {
      auto* i = dyn_cast<Instruction>(value);
      if (!i || i->getParent() != first->getParent() ||
          !i->isSameOperationAs(first, Instruction::CompareIgnoringAlignment) ||
          !known_.try_emplace(i, values[1]).second)
        return false;
    }
    if (isa<LoadInst>(first)) return are_record(values);
    return (isa<PHINode>(first) || is_elementwise(*first)) && have_alike_operands(values);
  }

  bool have_alike_operands(const Members& values) {
    auto* first = cast<Instruction>(values[0]);
    auto* call = dyn_cast<IntrinsicInst>(first);
    for (Value* value : values) {
      if ((call && cast<CallInst>(value)->getCalledOperand() != call->getCalledOperand()) ||
          (first->isIntDivRem() && cast<User>(value)->getOperand(1) != first->getOperand(1)))
        return false;
    }
    const unsigned count = call ? call->arg_size() : first->getNumOperands();
    for (unsigned k = 0; k < count; ++k) {
      Members operands;
      for (Value* value : values) {
        auto* phi = dyn_cast<PHINode>(value);
        operands.push_back(phi ? phi->getIncomingValueForBlock(cast<PHINode>(first)->getIncomingBlock(k))
                               : cast<User>(value)->getOperand(k));
      }
      if (!are_alike(operands)) return false;
    }
    return true;
  }

  bool are_record(const Members& values) {
    AddressTerms begin;
    for (auto [k, value] : enumerate(values)) {
      auto* load = cast<LoadInst>(value);
      if (!load->isSimple() || !is_short_member(*load)) return false;
      const AddressTerms terms = terms_of(load->getPointerOperand(), layout_);
      if (k == 0) begin = terms;
      const uint64_t size = layout_.getTypeStoreSize(load->getType());
      if (!terms.has_same_terms(begin) || terms.constant - begin.constant != k * size) return false;
      loads_.push_back(load);
    }
    return true;
  }

  const DataLayout& layout_;
  const Shapes& shapes_;
  DenseMap<const Value*, const Value*> known_;  ///< with the second of their members
  SmallVector<const Instruction*, 32> loads_;
};

}  // namespace

DenseSet<const Instruction*> find_alike_members(Function& kernel, const Shapes& shapes) {
  return AlikeMembers(kernel, shapes).found;
}

}  // namespace lanza::compiler
