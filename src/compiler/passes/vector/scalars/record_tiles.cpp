#include "compiler/passes/vector/scalars/record_tiles.hpp"

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;  // the address space
constexpr unsigned kMostMembers = 4;
constexpr uint64_t kLeastMember = 4;  // bytes; smaller ones are read as words

/// Of members that follow each other, each of `member` bytes.
struct Record {
  StructType* type;
  uint64_t member;
  uint64_t bytes() const { return member * type->getNumElements(); }
};

std::optional<Record> record_of(const GlobalVariable& tile, const DataLayout& layout) {
  Type* type = tile.getValueType();
  while (auto* array = dyn_cast<ArrayType>(type)) type = array->getElementType();
  auto* record = dyn_cast<StructType>(type);
  if (!record || !tile.getValueType()->isArrayTy() || record->getNumElements() < 2 ||
      record->getNumElements() > kMostMembers)
    return std::nullopt;
  const uint64_t member = layout.getTypeStoreSize(record->getElementType(0)).getFixedValue();
  const bool is_even = all_of(record->elements(), [&](Type* t) {
    return (t->isFloatingPointTy() || t->isIntegerTy()) && layout.getTypeAllocSize(t).getFixedValue() == member &&
           layout.getTypeSizeInBits(t).getFixedValue() == 8 * member;
  });
  const Record found{record, member};
  return is_even && member >= kLeastMember && layout.getTypeAllocSize(record) == found.bytes() ? std::optional(found)
                                                                                               : std::nullopt;
}

/// All that is done with one tile.
class Parter {
 public:
  Parter(Function& kernel, GlobalVariable& tile, Record record)
      : kernel_(kernel), layout_(kernel.getParent()->getDataLayout()), tile_(tile), record_(record) {}

  bool run() {
    if (!collect(tile_, 0) || !gains_) return false;
    make_planes();
    for (const Access& access : members_) move(access);
    for (const Access& access : wholes_) part(access);
    for (GetElementPtrInst* step : reverse(steps_)) step->eraseFromParent();
    tile_.eraseFromParent();
    return true;
  }

 private:
  struct Access {
    Instruction* instruction;
    Value* address;
    int64_t offset;  ///< the constant part, in bytes
  };
  using Values = SmallVector<Value*, kMostMembers>;

  // ---- what there is

  bool collect(Value& address, int64_t offset) {
    return all_of(address.uses(), [&](Use& use) { return take(use, address, offset); });
  }

  bool take(Use& use, Value& address, int64_t offset) {
    auto* user = dyn_cast<Instruction>(use.getUser());
    if (!user || user->getFunction() != &kernel_) return false;
    if (auto* step = dyn_cast<GetElementPtrInst>(user)) return take_step(*step, offset);
    if (auto* copy = dyn_cast<MemCpyInst>(user)) return take_copy(*copy, use, address, offset);
    auto* load = dyn_cast<LoadInst>(user);
    auto* store = dyn_cast<StoreInst>(user);
    if (load ? !load->isSimple() : !store || !store->isSimple() || store->getValueOperand() == &address) return false;
    return take_access(*user, address, offset);
  }

  // By whole records, and a constant.
  bool take_step(GetElementPtrInst& step, int64_t offset) {
    const auto parts = parts_of(step);
    if (!parts || step.getType()->isVectorTy()) return false;
    steps_.push_back(&step);
    return collect(step, offset + parts->constant);
  }

  bool take_access(Instruction& access, Value& address, int64_t offset) {
    Type* type = getLoadStoreType(&access);
    const uint64_t size = layout_.getTypeStoreSize(type).getFixedValue();
    const bool is_of_threads = Origins(address).threads != 0;
    if (size == record_.member && isAligned(Align(size), place_in_record(offset))) {
      members_.push_back({&access, &address, offset});
      gains_ |= is_of_threads && !is_copied(access);
      return true;
    }
    const bool is_whole = size == record_.bytes() && place_in_record(offset) == 0 && !type->isAggregateType() &&
                          layout_.getTypeSizeInBits(type) == 8 * size;
    if (!is_whole || type->isPtrOrPtrVectorTy()) return false;
    wholes_.push_back({&access, &address, offset});
    gains_ |= is_of_threads && !is_copied(access);
    return true;
  }

  bool take_copy(MemCpyInst& copy, const Use& use, Value& address, int64_t offset) {
    auto* length = dyn_cast<ConstantInt>(copy.getLength());
    if (copy.isVolatile() || !length || length->getZExtValue() != record_.bytes() || place_in_record(offset) != 0)
      return false;
    if (use.getOperandNo() > 1 || object_of(copy.getRawDest()) == object_of(copy.getRawSource())) return false;
    wholes_.push_back({&copy, &address, offset});
    return true;
  }

  uint64_t place_in_record(int64_t offset) const {
    const auto size = static_cast<int64_t>(record_.bytes());
    return static_cast<uint64_t>((offset % size + size) % size);
  }

  // From memory, or to memory, as it is.
  static bool is_copied(const Instruction& access) {
    if (auto* store = dyn_cast<StoreInst>(&access)) return isa<LoadInst>(store->getValueOperand());
    return all_of(access.users(), [](const User* user) { return isa<StoreInst>(user); });
  }

  /// A step's way: records times indices, and bytes.
  struct Parts {
    SmallVector<std::pair<Value*, int64_t>, 3> records;
    int64_t constant;
  };

  std::optional<Parts> parts_of(GetElementPtrInst& step) const {
    MapVector<Value*, APInt> variable;
    APInt constant(layout_.getIndexTypeSizeInBits(step.getType()), 0);
    if (!cast<GEPOperator>(step).collectOffset(layout_, constant.getBitWidth(), variable, constant))
      return std::nullopt;
    Parts parts{{}, constant.getSExtValue()};
    for (const auto& [index, scale] : variable) {
      const int64_t bytes = scale.getSExtValue();
      if (bytes % static_cast<int64_t>(record_.bytes()) != 0) return std::nullopt;
      parts.records.emplace_back(index, bytes / static_cast<int64_t>(record_.bytes()));
    }
    return parts;
  }

  // ---- the change

  void make_planes() {
    for (Type* member : record_.type->elements()) {
      Type* type = with_elements(tile_.getValueType(), member);
      auto* plane = new GlobalVariable(*kernel_.getParent(), type, false, tile_.getLinkage(), UndefValue::get(type),
                                       tile_.getName(), &tile_, tile_.getThreadLocalMode(), tile_.getAddressSpace());
      plane->copyAttributesFrom(&tile_);
      planes_.push_back(plane);
    }
  }

  static Type* with_elements(Type* type, Type* element) {
    auto* array = dyn_cast<ArrayType>(type);
    return array ? ArrayType::get(with_elements(array->getElementType(), element), array->getNumElements()) : element;
  }

  void move(const Access& access) {
    Instruction& i = *access.instruction;
    const uint64_t member = place_in_record(access.offset) / record_.member;
    IRBuilder<> b(&i);
    Value* address = address_of(b, access, member);
    const Align align = std::min(getLoadStoreAlignment(&i), Align(record_.member));
    if (auto* load = dyn_cast<LoadInst>(&i)) {
      load->setOperand(0, address);
      load->setAlignment(align);
      return;
    }
    i.setOperand(1, address);
    cast<StoreInst>(i).setAlignment(align);
  }

  void part(const Access& access) {
    IRBuilder<> b(access.instruction);
    if (auto* copy = dyn_cast<MemCpyInst>(access.instruction))
      part_copy(b, *copy, access);
    else if (auto* store = dyn_cast<StoreInst>(access.instruction))
      store_members(b, access, members_of(b, *store->getValueOperand()));
    else
      replace_load(*cast<LoadInst>(access.instruction), load_members(b, access));
    access.instruction->eraseFromParent();
  }

  void part_copy(IRBuilder<>& b, MemCpyInst& copy, const Access& access) {
    if (access.address == copy.getRawDest())
      return store_members(b, access, load_beside(b, *copy.getRawSource(), copy.getSourceAlign().valueOrOne()));
    store_beside(b, *copy.getRawDest(), copy.getDestAlign().valueOrOne(), load_members(b, access));
  }

  // Records elsewhere are of members as well where they are only copied.
  Values members_of(IRBuilder<>& b, Value& record) {
    if (auto* load = dyn_cast<LoadInst>(&record);
        load && load->isSimple() && load->hasOneUse() && object_of(load->getPointerOperand()) != &tile_) {
      IRBuilder<> there(load);
      return load_beside(there, *load->getPointerOperand(), load->getAlign());
    }
    Value* all = b.CreateBitCast(&record, FixedVectorType::get(member_type(), record_.type->getNumElements()));
    Values members;
    for (uint64_t m = 0; m < record_.type->getNumElements(); ++m) members.push_back(b.CreateExtractElement(all, m));
    return members;
  }

  void replace_load(LoadInst& load, const Values& members) {
    for (User* user : make_early_inc_range(load.users())) {
      auto* store = dyn_cast<StoreInst>(user);
      if (!store || !store->isSimple() || store->getPointerOperand() == &load || is_of_tile(*store)) continue;
      IRBuilder<> there(store);
      store_beside(there, *store->getPointerOperand(), store->getAlign(), members);
      store->eraseFromParent();
    }
    if (load.use_empty()) return;
    IRBuilder<> b(&load);
    Value* all = PoisonValue::get(FixedVectorType::get(member_type(), record_.type->getNumElements()));
    for (auto [m, member] : enumerate(members)) all = b.CreateInsertElement(all, member, static_cast<uint64_t>(m));
    load.replaceAllUsesWith(b.CreateBitCast(all, load.getType()));
  }

  bool is_of_tile(const StoreInst& store) const {
    return any_of(wholes_, [&](const Access& access) { return access.instruction == &store; });
  }

  Type* member_type() const { return Type::getIntNTy(kernel_.getContext(), static_cast<unsigned>(8 * record_.member)); }

  Values load_members(IRBuilder<>& b, const Access& access) {
    Values members;
    for (uint64_t m = 0; m < record_.type->getNumElements(); ++m)
      members.push_back(b.CreateAlignedLoad(member_type(), address_of(b, access, m), Align(record_.member)));
    return members;
  }

  void store_members(IRBuilder<>& b, const Access& access, const Values& members) {
    for (auto [m, member] : enumerate(members))
      b.CreateAlignedStore(member, address_of(b, access, m), Align(record_.member));
  }

  Values load_beside(IRBuilder<>& b, Value& address, Align align) {
    Values members;
    for (uint64_t m = 0; m < record_.type->getNumElements(); ++m)
      members.push_back(
          b.CreateAlignedLoad(member_type(), beside(b, address, m), commonAlignment(align, m * record_.member)));
    return members;
  }

  void store_beside(IRBuilder<>& b, Value& address, Align align, const Values& members) {
    for (auto [m, member] : enumerate(members))
      b.CreateAlignedStore(member, beside(b, address, m), commonAlignment(align, m * record_.member));
  }

  Value* beside(IRBuilder<>& b, Value& address, uint64_t member) const {
    return member ? b.CreateInBoundsGEP(b.getInt8Ty(), &address, b.getInt64(member * record_.member)) : &address;
  }

  // In the plane of `member`, of the record that the access is of.
  Value* address_of(IRBuilder<>& b, const Access& access, uint64_t member) {
    int64_t rest = access.offset - static_cast<int64_t>(place_in_record(access.offset));
    Value* address = address_of(b, *access.address, *planes_[member], rest);
    if (rest == 0) return address;
    return b.CreateInBoundsGEP(record_.type->getElementType(0), address,
                               b.getInt64(static_cast<uint64_t>(rest / static_cast<int64_t>(record_.bytes()))));
  }

  // `rest`: the bytes of constants less those of indices that lead to an element.
  Value* address_of(IRBuilder<>& b, Value& address, GlobalVariable& plane, int64_t& rest) {
    if (&address == &tile_) return &plane;
    auto& step = cast<GetElementPtrInst>(address);
    if (step.getPointerOperand() == &tile_ && leads_to_element(step)) return element(b, step, plane, rest);
    Value* moved = address_of(b, *step.getPointerOperand(), plane, rest);
    const Parts parts = *parts_of(step);
    for (auto [index, records] : parts.records) {
      Value* steps = b.CreateSExtOrTrunc(index, b.getInt64Ty());
      if (records != 1) steps = b.CreateMul(steps, b.getInt64(static_cast<uint64_t>(records)));
      moved = b.CreateGEP(record_.type->getElementType(0), moved, steps, "", step.getNoWrapFlags());
    }
    return moved;
  }

  bool leads_to_element(const GetElementPtrInst& step) const {
    auto* first = dyn_cast<ConstantInt>(step.getOperand(1));
    return step.getSourceElementType() == tile_.getValueType() && first && first->isZero() &&
           step.getNumIndices() > depth();
  }

  unsigned depth() const {
    unsigned depth = 0;
    for (auto* array = dyn_cast<ArrayType>(tile_.getValueType()); array;
         array = dyn_cast<ArrayType>(array->getElementType()))
      ++depth;
    return depth;
  }

  Value* element(IRBuilder<>& b, GetElementPtrInst& step, GlobalVariable& plane, int64_t& rest) {
    const SmallVector<Value*, 4> indices(step.idx_begin(), step.idx_begin() + depth() + 1);
    const int64_t constant = parts_of(step)->constant;
    rest -= constant - static_cast<int64_t>(place_in_record(constant));
    return b.CreateGEP(plane.getValueType(), &plane, indices, "", step.getNoWrapFlags());
  }

  Function& kernel_;
  const DataLayout& layout_;
  GlobalVariable& tile_;
  const Record record_;
  SmallVector<GetElementPtrInst*, 32> steps_;  ///< each behind the one that it begins at
  SmallVector<Access, 32> members_, wholes_;
  SmallVector<GlobalVariable*, kMostMembers> planes_;
  bool gains_ = false;  ///< somewhere threads compute with members of their own records
};

}  // namespace

bool part_record_tiles(Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  bool changed = false;
  for (GlobalVariable& tile : make_early_inc_range(kernel.getParent()->globals())) {
    if (tile.getAddressSpace() != kShared || !tile.hasLocalLinkage() || !tile.hasInitializer() ||
        !isa<UndefValue>(tile.getInitializer()))
      continue;
    const auto record = record_of(tile, layout);
    if (!record) continue;
    tile.removeDeadConstantUsers();
    changed |= convertUsersOfConstantsToInstructions({&tile}, &kernel);
    changed |= Parter(kernel, tile, *record).run();
  }
  return changed;
}

}  // namespace lanza::compiler
