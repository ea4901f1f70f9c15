#include "compiler/passes/vector/scalars/choose_elements.hpp"

#include <optional>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostElements = 16;
constexpr uint64_t kMostRows = 8, kMostInRows = 32;  // of which a pivot's row is chosen, column by column
constexpr uint64_t kMostInLoops = 8;  // where each turn chooses from all of them, and a gather and a scatter would do
constexpr uint64_t kBudget = 800;     // elements that all accesses of an array choose from

Type* element_of(const AllocaInst& array) {
  Type* type = array.getAllocatedType();
  while (auto* rows = dyn_cast<ArrayType>(type)) type = rows->getElementType();
  return type;
}

/// An access's place: bytes = first + index * step; without an index that is where it always is.
struct Place {
  int64_t first = 0, step = 0;
  Value* index = nullptr;    ///< as it was before it was extended
  bool is_unsigned = false;  ///< extended by zeros

  int64_t of(const ConstantInt& value) const {
    return first + step * (is_unsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue());
  }
  bool may_be(int64_t value) const {
    const unsigned bits = index->getType()->getIntegerBitWidth();
    return is_unsigned ? isUIntN(bits, static_cast<uint64_t>(value)) : isIntN(bits, value);
  }
};

struct Access {
  Instruction* instruction;
  Place place;
};

bool add_to(Place& place, const GEPOperator& address, const DataLayout& layout) {
  MapVector<Value*, APInt> variables;
  const unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  APInt constant(bits, 0);
  if (!address.collectOffset(layout, bits, variables, constant)) return false;
  place.first += constant.getSExtValue();
  if (variables.empty()) return true;
  if (place.index || variables.size() != 1) return false;
  place.index = variables.front().first;
  place.step = variables.front().second.getSExtValue();
  if (isa<SExtInst, ZExtInst>(place.index)) {
    place.is_unsigned = isa<ZExtInst>(place.index);
    place.index = cast<CastInst>(place.index)->getOperand(0);
  }
  return true;
}

enum class Indices { One, Any };  // of an access, which are not constant: before loops are unrolled, columns, too

/// All accesses of an array; false: it is used in other ways.
class ArrayUses {
 public:
  explicit ArrayUses(const AllocaInst& array, Indices indices = Indices::One)
      : layout_(array.getModule()->getDataLayout()), element_(element_of(array)), indices_(indices) {}

  bool collect(const AllocaInst& array) { return follow(array, {}); }
  const DataLayout& layout() const { return layout_; }
  Type* element() const { return element_; }
  ArrayRef<Access> accesses() const { return accesses_; }

 private:
  bool follow(const Value& pointer, Place place) {
    return all_of(pointer.uses(), [&](const Use& use) { return take(use, place); });
  }

  bool take(const Use& use, Place place) {
    auto& user = *cast<Instruction>(use.getUser());
    if (auto* address = dyn_cast<GetElementPtrInst>(&user))
      return (add_to(place, cast<GEPOperator>(*address), layout_) || indices_ == Indices::Any) &&
             follow(*address, place);
    if (auto* copy = dyn_cast<MemIntrinsic>(&user))
      return !place.index && isa<ConstantInt>(copy->getLength()) && !copy->isVolatile();
    if (user.isLifetimeStartOrEnd()) return true;
    auto* load = dyn_cast<LoadInst>(&user);
    auto* store = dyn_cast<StoreInst>(&user);
    if (!(load && load->isSimple()) && !(store && store->isSimple() && use.getOperandNo() == 1)) return false;
    if (getLoadStoreType(&user) != element_) return false;
    accesses_.push_back({&user, place});
    return true;
  }

  const DataLayout& layout_;
  Type* element_;
  const Indices indices_;
  SmallVector<Access, 32> accesses_;
};

/// Rewrites the accesses of one array by places that differ.
class ElementChoices {
 public:
  ElementChoices(AllocaInst& array, const ArrayUses& uses)
      : array_(array),
        element_(uses.element()),
        width_(static_cast<int64_t>(uses.layout().getTypeAllocSize(element_))),
        bytes_(static_cast<int64_t>(uses.layout().getTypeAllocSize(array.getAllocatedType()))) {}

  // Values of the index that lie within the array.
  SmallVector<int64_t, 16> values_of(const Place& place) const {
    SmallVector<int64_t, 16> values;
    if (place.step % width_ != 0 || place.first % width_ != 0 || place.step == 0) return values;
    const int64_t most = bytes_ / std::abs(place.step) + std::abs(place.first / place.step) + 1;
    const auto chosen = choices_of(place);
    for (int64_t v = -most; v <= most; ++v)
      if (const int64_t at = place.first + v * place.step; at >= 0 && at < bytes_ && place.may_be(v))
        if (!chosen || chosen->contains(v)) values.push_back(v);
    return values;
  }

  void replace(const Access& access) {
    IRBuilder<> build(access.instruction);
    if (auto* store = dyn_cast<StoreInst>(access.instruction)) {
      for (int64_t value : values_of(access.place)) store_at(build, access.place, value, *store);
    } else {
      chosen_.clear();
      access.instruction->replaceAllUsesWith(load_at(build, access.place, access.place.index));
    }
    access.instruction->eraseFromParent();
  }

 private:
  Value* address(IRBuilder<>& build, int64_t at) {
    return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), &array_, static_cast<uint64_t>(at));
  }

  void store_at(IRBuilder<>& build, const Place& place, int64_t value, StoreInst& store) {
    Value* there = address(build, place.first + value * place.step);
    Value* is_it = build.CreateICmpEQ(place.index, ConstantInt::getSigned(place.index->getType(), value));
    Value* before = build.CreateLoad(element_, there);
    build.CreateStore(build.CreateSelect(is_it, store.getValueOperand(), before), there);
  }

  // What is loaded where the index is `index`: of a choice between places, the choice between what lies there.
  Value* load_at(IRBuilder<>& build, const Place& place, Value* index) {
    index = without_joints(index);
    if (Value* known = chosen_.lookup(index)) return known;
    Value* loaded = nullptr;
    if (auto* constant = dyn_cast<ConstantInt>(index)) {
      const int64_t at = place.of(*constant);
      loaded = at >= 0 && at < bytes_ ? build.CreateLoad(element_, address(build, at)) : undefined();
    } else if (auto* choice = dyn_cast<SelectInst>(index)) {
      Value* one = load_at(build, place, choice->getTrueValue());
      Value* other = load_at(build, place, choice->getFalseValue());
      loaded = build.CreateSelect(choice->getCondition(), one, other);
    } else if (is_bit(index)) {
      Value* one = load_at(build, place, ConstantInt::get(index->getType(), 1));
      Value* other = load_at(build, place, ConstantInt::get(index->getType(), 0));
      loaded = build.CreateSelect(cast<ZExtInst>(index)->getOperand(0), one, other);
    } else {
      loaded = load_by_bits(build, place, index, values_of(place));
    }
    return chosen_[index] = loaded;
  }

  // A phi of one value is that value, as unrolled loops leave them.
  static Value* without_joints(Value* v) {
    for (auto* phi = dyn_cast<PHINode>(v); phi && phi->getNumIncomingValues() == 1; phi = dyn_cast<PHINode>(v))
      v = phi->getIncomingValue(0);
    return v;
  }

  // Which constants an index chooses from; none: others, too.
  static std::optional<SmallSet<int64_t, 16>> choices_of(const Place& place) {
    SmallSet<int64_t, 16> values;
    SmallSetVector<Value*, 16> parts;
    parts.insert(without_joints(place.index));
    for (size_t n = 0; n < parts.size(); ++n) {
      if (auto* constant = dyn_cast<ConstantInt>(parts[n])) {
        const bool is_negative = !place.is_unsigned && constant->isNegative();
        values.insert(is_negative ? constant->getSExtValue() : static_cast<int64_t>(constant->getZExtValue()));
      } else if (auto* choice = dyn_cast<SelectInst>(parts[n])) {
        parts.insert(without_joints(choice->getTrueValue()));
        parts.insert(without_joints(choice->getFalseValue()));
      } else if (is_bit(parts[n])) {
        values.insert(0);
        values.insert(1);
      } else {
        return {};
      }
    }
    return values;
  }

  static bool is_bit(const Value* v) {
    auto* extension = dyn_cast<ZExtInst>(v);
    return extension && extension->getSrcTy()->isIntegerTy(1);
  }

  Value* undefined() const { return PoisonValue::get(element_); }

  // A question for each bit in which the values differ, which all choices of a level share.
  Value* load_by_bits(IRBuilder<>& build, const Place& place, Value* index, ArrayRef<int64_t> values) {
    if (values.size() == 1)
      return build.CreateLoad(element_, address(build, place.first + values.front() * place.step));
    const unsigned width = index->getType()->getIntegerBitWidth();
    const unsigned bit = std::min(Log2_64(static_cast<uint64_t>(values.front() ^ values.back())), width - 1);
    const auto is_set = [&](int64_t v) { return (v >> bit & 1) != 0; };
    SmallVector<int64_t, 16> with, without;
    for (int64_t v : values) (is_set(v) ? with : without).push_back(v);
    Value* mask = ConstantInt::get(index->getType(), uint64_t{1} << bit);
    Value* asked = build.CreateIsNotNull(build.CreateAnd(index, mask));
    Value* first = load_by_bits(build, place, index, with);
    return build.CreateSelect(asked, first, load_by_bits(build, place, index, without));
  }

  AllocaInst& array_;
  Type* element_;
  const int64_t width_, bytes_;
  DenseMap<Value*, Value*> chosen_;  ///< of one load
};

// A small array of which an element is found by a phi.
bool has_choices(Instruction& i) {
  auto* array = dyn_cast<AllocaInst>(&i);
  if (!array || !is_small_array(*array)) return false;
  ArrayUses uses(*array);
  return uses.collect(*array) && any_of(uses.accesses(), [](const Access& access) {
           return access.place.index && isa<PHINode>(access.place.index);
         });
}

bool choose_elements(AllocaInst& array, const LoopInfo& loops) {
  ArrayUses uses(array);
  if (!is_small_array(array) || !uses.collect(array)) return false;
  ElementChoices choices(array, uses);
  SmallVector<Access, 32> by_index;
  copy_if(uses.accesses(), std::back_inserter(by_index), [](const Access& a) { return a.place.index; });
  uint64_t size = 0;
  for (const Access& access : by_index) {
    const auto values = choices.values_of(access.place);
    if (values.empty() || !differs_between_threads(*access.place.index)) return false;
    if (values.size() > kMostInLoops && loops.getLoopFor(access.instruction->getParent())) return false;
    size += values.size();
  }
  if (by_index.empty() || size > kBudget) return false;
  for (const Access& access : by_index) choices.replace(access);
  return true;
}

}  // namespace

bool is_small_array(const AllocaInst& array) {
  const DataLayout& layout = array.getModule()->getDataLayout();
  Type* element = element_of(array);
  if (!array.isStaticAlloca() || array.isArrayAllocation() || !array.getAllocatedType()->isArrayTy()) return false;
  if (!element->isIntegerTy() && !element->isFloatTy() && !element->isDoubleTy()) return false;
  auto* rows = cast<ArrayType>(array.getAllocatedType());
  const bool has_rows = rows->getElementType()->isArrayTy() && rows->getNumElements() <= kMostRows;
  const uint64_t most = has_rows ? kMostInRows : kMostElements;
  return layout.getTypeAllocSize(rows) <= most * layout.getTypeAllocSize(element) &&
         ArrayUses(array, Indices::Any).collect(array);
}

bool differs_between_threads(const Value& index) {
  SmallSetVector<const Instruction*, 16> asked;
  const auto ask = [&](const Value* v) {
    if (auto* i = dyn_cast<Instruction>(v)) asked.insert(i);
  };
  ask(&index);
  for (size_t n = 0; n < asked.size(); ++n) {
    const Instruction& i = *asked[n];
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getCalledFunction()->getName().contains(".sreg.tid."))
      return true;
    auto* load = dyn_cast<LoadInst>(&i);
    if (load ? isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())) : i.mayReadOrWriteMemory()) return true;
    for (const Value* operand : i.operands()) ask(operand);
    if (auto* phi = dyn_cast<PHINode>(&i))
      for (const BasicBlock* from : phi->blocks())
        if (auto* branch = dyn_cast<BranchInst>(from->getTerminator()); branch && branch->isConditional())
          ask(branch->getCondition());
  }
  return false;
}

PreservedAnalyses ChooseElementsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  if (any_of(function.getEntryBlock(), has_choices)) {  // which the guards of unrolled loops would hide
    for (auto* pass : {+[](Function& f, FunctionAnalysisManager& a) { return InstSimplifyPass().run(f, a); },
                       +[](Function& f, FunctionAnalysisManager& a) { return SimplifyCFGPass().run(f, a); }}) {
      const PreservedAnalyses preserved = pass(function, analyses);
      analyses.invalidate(function, preserved);
      changed |= !preserved.areAllPreserved();
    }
  }
  const auto& loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<AllocaInst*, 8> arrays;
  for (Instruction& i : function.getEntryBlock())
    if (auto* array = dyn_cast<AllocaInst>(&i)) arrays.push_back(array);
  for (AllocaInst* array : arrays) changed |= choose_elements(*array, loops);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
