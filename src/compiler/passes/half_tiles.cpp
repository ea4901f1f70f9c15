#include "compiler/passes/half_tiles.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;  // address space
constexpr uint64_t kLongest = 32 << 10;

// A half as CUDA's headers have it: bits in a structure.
bool is_half(Type* type) {
  if (auto* record = dyn_cast<StructType>(type))
    return record->getNumElements() == 1 && is_half(record->getElementType(0));
  return type->isHalfTy() || type->isIntegerTy(16);
}

/// Floats for halves, in arrays of arrays; null: it is another type.
Type* widened(Type* type) {
  if (is_half(type)) return Type::getFloatTy(type->getContext());
  auto* array = dyn_cast<ArrayType>(type);
  Type* element = array ? widened(array->getElementType()) : nullptr;
  return element ? ArrayType::get(element, array->getNumElements()) : nullptr;
}

bool asks_for_nan(const User& user, const Value& half) {
  auto* compare = dyn_cast<FCmpInst>(&user);
  if (!compare || (compare->getPredicate() != FCmpInst::FCMP_UNO && compare->getPredicate() != FCmpInst::FCMP_ORD))
    return false;
  return all_of(compare->operand_values(), [&](const Value* v) {
    auto* number = dyn_cast<ConstantFP>(v);
    return v == &half || (number && !number->isNaN());
  });
}

/// `isnan(half) ? nan : float(half)`, as a conversion makes one NaN of all; null: what is extended is used otherwise.
const SelectInst* chosen_for_nan(const FPExtInst& extended) {
  const auto* choice = extended.hasOneUse() ? dyn_cast<SelectInst>(extended.user_back()) : nullptr;
  auto* nan = choice ? dyn_cast<ConstantFP>(choice->getTrueValue()) : nullptr;
  auto* asks = choice ? dyn_cast<FCmpInst>(choice->getCondition()) : nullptr;
  if (!nan || !nan->isNaN() || choice->getFalseValue() != &extended || !asks) return nullptr;
  const bool is_of_half = asks->getPredicate() == FCmpInst::FCMP_UNO && asks_for_nan(*asks, *extended.getOperand(0));
  return is_of_half ? choice : nullptr;
}

/// What is done with an array.
class TileUses {
 public:
  bool can_widen(const Value& pointer) {
    return all_of(pointer.uses(), [&](const Use& use) {
      if (auto* load = dyn_cast<LoadInst>(use.getUser())) return load->isSimple() && is_only_extended(*load);
      if (auto* store = dyn_cast<StoreInst>(use.getUser()))
        return store->isSimple() && use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
               is_half(store->getValueOperand()->getType());
      auto* place = dyn_cast<GetElementPtrInst>(use.getUser());
      if (!place || place->getType()->isVectorTy()) return false;
      Type* type = place->getSourceElementType();
      return (type->isIntegerTy(8) ? place->getNumIndices() == 1 : widened(type) != nullptr) && can_widen(*place);
    });
  }

  /// What all of them make of a NaN, so that it may be stored; null: there is no such number.
  Constant* nan() const { return choose_ && nans_.size() == 1 ? *nans_.begin() : nullptr; }

 private:
  bool is_only_extended(const Value& loaded) {
    if (loaded.getType()->isIntegerTy(16))
      return all_of(loaded.users(), [&](const User* user) {
        return isa<BitCastInst>(user) && user->getType()->isHalfTy() && is_only_extended(*user);
      });
    if (!loaded.getType()->isHalfTy()) return false;
    return all_of(loaded.users(), [&](const User* user) {
      auto* extended = dyn_cast<FPExtInst>(user);
      if (!extended) return asks_for_nan(*user, loaded);
      auto* choice = extended->getType()->isFloatTy() ? chosen_for_nan(*extended) : nullptr;
      if (choice)
        nans_.insert(const_cast<Constant*>(cast<Constant>(choice->getTrueValue())));
      else
        choose_ = false;
      return true;
    });
  }

  SmallPtrSet<Constant*, 2> nans_;
  bool choose_ = true;
};

/// Writes what is done with an array again, for one of floats.
class Widener {
 public:
  /// `nan`: what is stored for each, and read without a question.
  explicit Widener(Constant* nan) : nan_(nan) {}

  void widen(Value& pointer, Value& wide) {
    for (User* user : make_early_inc_range(pointer.users())) {
      IRBuilder<> b(cast<Instruction>(user));
      if (auto* place = dyn_cast<GetElementPtrInst>(user))
        widen(*place, *widen_place(b, *place, wide));
      else if (auto* store = dyn_cast<StoreInst>(user))
        b.CreateStore(extend(b, b.CreateBitCast(store->getValueOperand(), b.getHalfTy())), &wide);
      else
        widen_uses(*user, b.CreateLoad(b.getFloatTy(), &wide));
      dead_.push_back(cast<Instruction>(user));
    }
  }

  void erase_dead() {
    for (Instruction* i : dead_) i->eraseFromParent();
  }

 private:
  Value* extend(IRBuilder<>& b, Value* half) const {
    Value* wide = b.CreateFPExt(half, b.getFloatTy());
    return nan_ ? b.CreateSelect(b.CreateFCmpUNO(half, ConstantFP::getZero(half->getType())), nan_, wide) : wide;
  }

  static Value* widen_place(IRBuilder<>& b, GetElementPtrInst& place, Value& wide) {
    Type* type = place.getSourceElementType();
    Value* first = *place.idx_begin();
    if (type->isIntegerTy(8)) return b.CreateGEP(b.getInt8Ty(), &wide, b.CreateShl(first, 1));
    SmallVector<Value*, 4> indices{first};
    Type* inner = type;
    for (Value* index : drop_begin(place.indices())) {
      auto* array = dyn_cast<ArrayType>(inner);
      if (!array) break;  // into the structure
      indices.push_back(index);
      inner = array->getElementType();
    }
    return b.CreateGEP(widened(type), &wide, indices, "", place.isInBounds());
  }

  void widen_uses(Value& half, Value* wide) {
    const SmallSetVector<User*, 4> users(half.user_begin(), half.user_end());  // a comparison with itself is one
    for (User* user : users) {
      auto* i = cast<Instruction>(user);
      IRBuilder<> b(i);
      if (isa<BitCastInst>(i))
        widen_uses(*i, wide);
      else if (auto* extended = dyn_cast<FPExtInst>(i))
        replace(b, *extended, wide);
      else
        i->replaceAllUsesWith(
            b.CreateFCmp(cast<FCmpInst>(i)->getPredicate(), wide, ConstantFP::get(wide->getType(), 0)));
      dead_.push_back(i);
    }
  }

  void replace(IRBuilder<>& b, FPExtInst& extended, Value* wide) {
    if (!nan_) return extended.replaceAllUsesWith(b.CreateFPExt(wide, extended.getType()));
    auto* choice = cast<SelectInst>(extended.user_back());
    choice->replaceAllUsesWith(wide);
    dead_.push_back(choice);
  }

  Constant* nan_;
  SmallVector<Instruction*, 64> dead_;  ///< users before what they use
};

bool widen_tile(GlobalVariable& tile) {
  Type* type = tile.getAddressSpace() == kShared && tile.hasLocalLinkage() ? widened(tile.getValueType()) : nullptr;
  if (!type || !type->isArrayTy() || tile.getDataLayout().getTypeAllocSize(tile.getValueType()) > kLongest)
    return false;
  convertUsersOfConstantsToInstructions({&tile});
  TileUses uses;
  if (!uses.can_widen(tile)) return false;
  auto* wide = new GlobalVariable(*tile.getParent(), type, false, tile.getLinkage(), UndefValue::get(type), "", &tile,
                                  tile.getThreadLocalMode(), kShared);
  wide->takeName(&tile);
  wide->setAlignment(Align(2 * tile.getAlign().valueOrOne().value()));
  Widener widener(uses.nan());
  widener.widen(tile, *wide);
  widener.erase_dead();
  tile.eraseFromParent();
  return true;
}

}  // namespace

PreservedAnalyses HalfTilesPass::run(Module& module, ModuleAnalysisManager&) {
  bool changed = false;
  for (GlobalVariable& tile : make_early_inc_range(module.globals())) changed |= widen_tile(tile);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
