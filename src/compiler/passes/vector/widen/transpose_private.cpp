#include "compiler/passes/vector/widen/transpose_private.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"
#include "compiler/passes/vector/widen/interleaved_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostBytes = 1 << 20;  ///< of the array of all lanes: its indices fit into 32 bits many times over
constexpr uint64_t kMostElements = 64;    ///< that a copy or a fill becomes without a loop

/// Bytes from the start of the array.
struct Offset {
  MapVector<Value*, APInt> variable;
  APInt constant{64, 0};
};

/// What is done with one array.
class PrivateArray {
 public:
  PrivateArray(AllocaInst& array, unsigned lanes)
      : array_(array), lanes_(lanes), layout_(array.getDataLayout()), b_(array.getContext()) {}

  void transpose() {
    if (!array_.isStaticAlloca() || !collect(array_, {}) || !agree_on_size() || !has_whole_elements()) return;
    for (unsigned k = 0; k < bulk_.size(); ++k) expand(*bulk_[k].first, bulk_[k].second, from_here_[k]);
    const uint64_t bytes = *array_.getAllocationSize(layout_);
    b_.SetInsertPoint(&array_);
    Type* all = ArrayType::get(b_.getIntNTy(size_ * 8), divideCeil(bytes, size_) * lanes_);
    auto* memory = b_.CreateAlloca(all);
    memory->takeName(&array_);
    memory->copyMetadata(array_);
    memory->setAlignment(std::max(array_.getAlign(), Align(uint64_t{size_} * lanes_)));
    memory->setMetadata(kOfGroup, MDNode::get(b_.getContext(), {}));
    for (auto& [access, offset] : accesses_) {
      b_.SetInsertPoint(access);
      access->setOperand(isa<StoreInst>(access), address(memory, offset));
      set_alignment(*access);
    }
    erase_users(array_);
    array_.eraseFromParent();
  }

 private:
  // All accesses, with their offsets; false where the address goes elsewhere.
  bool collect(Instruction& pointer, const Offset& offset) {
    for (User* user : pointer.users()) {
      auto& i = *cast<Instruction>(user);
      if (auto* address = dyn_cast<GetElementPtrInst>(&i)) {
        Offset sum = offset;
        MapVector<Value*, APInt> variable;
        APInt constant(64, 0);
        if (address->getPointerOperand() != &pointer ||
            !cast<GEPOperator>(address)->collectOffset(layout_, 64, variable, constant))
          return false;
        sum.constant += constant;
        for (auto& [value, stride] : variable) sum.variable.insert({value, APInt(64, 0)}).first->second += stride;
        if (!collect(*address, sum)) return false;
      } else if (isa<MemSetInst, MemCpyInst>(i)) {
        auto* copy = dyn_cast<MemCpyInst>(&i);
        if (copy && copy->getRawDest() == copy->getRawSource()) return false;
        bulk_.push_back({cast<MemIntrinsic>(&i), offset});
        from_here_.push_back(copy && copy->getRawSource() == &pointer);
      } else if (isa<LoadInst, StoreInst>(i)) {
        if (getLoadStorePointerOperand(&i) != &pointer || (i.getOperand(0) == &pointer && isa<StoreInst>(i)))
          return false;
        accesses_.push_back({&i, offset});
      } else if (!i.isLifetimeStartOrEnd()) {
        return false;
      }
    }
    return true;
  }

  bool agree_on_size() {
    for (auto& [access, offset] : accesses_) {
      Type* type = getLoadStoreType(access);
      const bool simple =
          isa<LoadInst>(access) ? cast<LoadInst>(access)->isSimple() : cast<StoreInst>(access)->isSimple();
      const unsigned size = layout_.getTypeStoreSize(type);
      if (!simple || !has_lanes_in_memory(layout_, type) || (size_ && size != size_)) return false;
      size_ = size;
    }
    if (!size_ || !isPowerOf2_32(size_) || *array_.getAllocationSize(layout_) * lanes_ > kMostBytes) return false;
    return all_of(bulk_, [&](auto& entry) {
      auto* length = dyn_cast<ConstantInt>(entry.first->getLength());
      return length && !entry.first->isVolatile() && length->getZExtValue() % size_ == 0;
    });
  }

  bool has_whole_elements() const {
    auto whole = [&](const APInt& bytes) { return bytes.srem(size_) == 0; };
    auto is_whole = [&](const auto& entry) {
      return whole(entry.second.constant) && all_of(entry.second.variable, [&](auto& v) { return whole(v.second); });
    };
    return all_of(accesses_, is_whole) && all_of(bulk_, is_whole);
  }

  // A copy or a fill becomes loads and stores: of few elements one after the other, of more in a loop.
  void expand(MemIntrinsic& bulk, const Offset& offset, bool from_here) {
    const uint64_t count = cast<ConstantInt>(bulk.getLength())->getZExtValue() / size_;
    if (count > kMostElements) {
      CallInst* mask = mask_before(bulk);
      auto [in_loop, index] = SplitBlockAndInsertSimpleForLoop(b_.getInt64(count), &bulk);
      if (mask)
        for (Instruction* place : {in_loop, cast<Instruction>(&bulk)}) mask->clone()->insertBefore(place);
      Offset at = offset;
      at.variable.insert({index, APInt(64, 0)}).first->second += size_;
      b_.SetInsertPoint(in_loop);
      expand_element(bulk, at, from_here, *b_.CreateNUWMul(index, b_.getInt64(size_)), Align(size_));
    } else {
      b_.SetInsertPoint(&bulk);
      for (uint64_t k = 0; k < count * size_; k += size_) {
        Offset at = offset;
        at.constant += k;
        expand_element(bulk, at, from_here, *b_.getInt64(k), commonAlignment(Align(kMostBytes), k));
      }
    }
    bulk.eraseFromParent();
  }

  // Of which lanes run it; it holds to the end of the block. Null: all.
  static CallInst* mask_before(Instruction& i) {
    for (Instruction* before = &i; before; before = before->getPrevNode())
      if (auto* call = dyn_cast<CallInst>(before))
        if (Function* callee = call->getCalledFunction(); callee && callee->getName() == kMask) return call;
    return nullptr;
  }

  // `bytes` from the start of the copy, a multiple of `aligned`.
  void expand_element(MemIntrinsic& bulk, const Offset& offset, bool from_here, Value& bytes, Align aligned) {
    Type* type = b_.getIntNTy(size_ * 8);
    auto element = [&](Value* start, MaybeAlign align) {
      return std::pair(b_.CreateGEP(b_.getInt8Ty(), start, &bytes), std::min(align.valueOrOne(), aligned));
    };
    Value* value;
    if (auto* copy = dyn_cast<MemCpyInst>(&bulk)) {
      auto [source, align] = element(copy->getRawSource(), copy->getSourceAlign());
      value = b_.CreateAlignedLoad(type, source, align);
      if (from_here) accesses_.push_back({cast<Instruction>(value), offset});
    } else {
      Value* byte = b_.CreateZExt(cast<MemSetInst>(bulk).getValue(), type);
      value = b_.CreateMul(byte, ConstantInt::get(type, APInt::getSplat(size_ * 8, APInt(8, 1))));
    }
    auto [target, align] = element(bulk.getRawDest(), bulk.getDestAlign());
    Instruction* store = b_.CreateAlignedStore(value, target, align);
    if (!from_here) accesses_.push_back({store, offset});
  }

  // Element (index * lanes + lane), in 32 bits: gathers are cheaper so.
  Value* address(Value* memory, const Offset& offset) {
    auto elements = [&](const APInt& bytes) {
      return b_.getInt32(static_cast<uint32_t>(bytes.sdiv(size_).getSExtValue()));
    };
    Value* index = nullptr;
    auto add = [&](Value* part) { index = index ? b_.CreateNSWAdd(index, part) : part; };
    for (auto& [value, stride] : offset.variable)
      add(stride == size_ ? narrow(value) : b_.CreateNSWMul(narrow(value), elements(stride)));
    if (!index || !offset.constant.isZero()) add(elements(offset.constant));
    index = b_.CreateNSWMul(index, b_.getInt32(lanes_));
    index = b_.CreateNSWAdd(index, emit_lane(b_));
    return b_.CreateGEP(b_.getIntNTy(size_ * 8), memory, b_.CreateSExt(index, b_.getInt64Ty()));
  }

  Value* narrow(Value* value) {
    auto* extension = dyn_cast<CastInst>(value);
    if (extension && isa<SExtInst, ZExtInst>(extension) && extension->getSrcTy()->isIntegerTy(32))
      return extension->getOperand(0);
    return b_.CreateSExtOrTrunc(value, b_.getInt32Ty());
  }

  void set_alignment(Instruction& access) const {
    if (auto* load = dyn_cast<LoadInst>(&access))
      load->setAlignment(Align(size_));
    else
      cast<StoreInst>(access).setAlignment(Align(size_));
  }

  static void erase_users(Instruction& pointer) {
    for (User* user : make_early_inc_range(pointer.users())) {
      erase_users(*cast<Instruction>(user));
      cast<Instruction>(user)->eraseFromParent();
    }
  }

  AllocaInst& array_;
  const unsigned lanes_;
  const DataLayout& layout_;
  IRBuilder<> b_;
  unsigned size_ = 0;
  SmallVector<std::pair<Instruction*, Offset>, 16> accesses_;
  SmallVector<std::pair<MemIntrinsic*, Offset>, 2> bulk_;
  SmallVector<bool, 2> from_here_;  ///< of each of those: it reads the array
};

}  // namespace

void transpose_private(Function& function, const GroupShape& group) {
  SmallVector<AllocaInst*, 8> arrays;
  for (Instruction& i : instructions(function))
    if (auto* array = dyn_cast<AllocaInst>(&i)) arrays.push_back(array);
  for (AllocaInst* array : arrays) PrivateArray(*array, group.lanes).transpose();
}

}  // namespace lanza::compiler
