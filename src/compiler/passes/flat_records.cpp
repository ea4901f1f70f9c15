#include "compiler/passes/flat_records.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kMostMembers = 16;  // of a record
constexpr size_t kFewMembers = 6;

struct Member {
  uint64_t offset;
  Type* type;
  SmallVector<unsigned, 2> indices;
  AllocaInst* variable = nullptr;  ///< once it has one of its own
};

using Members = SmallVector<Member, 2>;

/// False: too many members, or other than scalars. `indices`: which part of a record `type` is.
bool find_members(Type* type, uint64_t offset, const DataLayout& layout, Members& members,
                  SmallVectorImpl<unsigned>& indices) {
  auto find_part = [&](unsigned k, Type* part, uint64_t distance) {
    indices.push_back(k);
    const bool found = find_members(part, offset + distance, layout, members, indices);
    indices.pop_back();
    return found;
  };
  if (auto* record = dyn_cast<StructType>(type)) {
    const StructLayout& places = *layout.getStructLayout(record);
    for (unsigned k = 0; k < record->getNumElements(); ++k)
      if (!find_part(k, record->getElementType(k), places.getElementOffset(k))) return false;
    return true;
  }
  if (auto* array = dyn_cast<ArrayType>(type)) {
    const uint64_t step = layout.getTypeAllocSize(array->getElementType());
    for (unsigned k = 0; k < array->getNumElements(); ++k)
      if (!find_part(k, array->getElementType(), k * step)) return false;
    return true;
  }
  const bool is_whole = layout.getTypeSizeInBits(type) == layout.getTypeAllocSizeInBits(type);
  if (!type->isSingleValueType() || !is_whole || members.size() == kMostMembers) return false;
  members.push_back({offset, type, {indices.begin(), indices.end()}});
  return true;
}

std::optional<Members> members_of(Type* type, const DataLayout& layout) {
  Members members;
  SmallVector<unsigned, 4> indices;
  const bool found = find_members(type, 0, layout, members, indices) && !members.empty();
  return found ? std::optional(members) : std::nullopt;
}

/// A variable of a record, and where its members are read and written.
struct Record {
  Members members;
  SmallVector<std::pair<Instruction*, unsigned>, 4> accesses;  ///< loads and stores, each with its member's number
  SmallVector<Instruction*, 4> whole;  ///< loads and stores of all members: the record, or a number or vector for it
  SmallVector<MemTransferInst*, 4> copies;
  SmallVector<MemSetInst*, 2> fills;
  SmallVector<Instruction*, 4> others;  ///< addresses, ends of its life

  /// Where whole records from several places meet, lanes choose between members. What only passes through is copied by
  /// each lane for itself, which takes less time for many members.
  bool pays(const Value* variable) const {
    const auto comes_in = [&](const Instruction* i) {
      auto* copy = dyn_cast<MemTransferInst>(i);
      return copy ? copy->getRawDest() == variable : i->mayWriteToMemory();
    };
    const size_t sources = count_if(copies, comes_in) + count_if(whole, comes_in) + fills.size();
    return sources > 1 || members.size() <= kFewMembers;
  }
};

class FlatRecords {
 public:
  explicit FlatRecords(Function& function) : function_(function), layout_(function.getDataLayout()) {}

  bool run(DominatorTree& tree, size_t least, bool only_pays) {
    find();
    if (only_pays) records_.remove_if([](const auto& entry) { return !entry.second.pays(entry.first); });
    if (records_.empty()) return false;
    if (records_.size() < least) return false;
    settle();
    SmallVector<AllocaInst*, 64> variables;
    for (auto& [variable, record] : records_)
      for (Member& member : record.members) {
        IRBuilder<> b(variable);
        member.variable = b.CreateAlloca(member.type, nullptr, variable->getName());
        variables.push_back(member.variable);
      }
    for (auto& [variable, record] : records_) {
      for (auto [access, number] : record.accesses) redirect(*access, record.members[number]);
      for (Instruction* access : record.whole) {
        if (auto* load = dyn_cast<LoadInst>(access))
          read_all(*load, record.members);
        else
          write_all(*cast<StoreInst>(access), record.members);
      }
      for (MemTransferInst* copy : record.copies) spell_out(*copy);
      for (MemSetInst* fill : record.fills) fill_all(*fill, record.members);
    }
    for (MemTransferInst* copy : spelt_) copy->eraseFromParent();
    for (auto& [variable, record] : records_) {
      for (Instruction* other : reverse(record.others)) other->eraseFromParent();
      variable->eraseFromParent();
    }
    PromoteMemToReg(variables, tree);
    return true;
  }

 private:
  void find() {
    for (Instruction& i : function_.getEntryBlock()) {
      auto* variable = dyn_cast<AllocaInst>(&i);
      if (!variable || !variable->isStaticAlloca() || variable->isArrayAllocation()) continue;
      if (std::optional<Record> record = as_record(*variable)) records_.insert({variable, std::move(*record)});
    }
  }

  std::optional<Record> as_record(AllocaInst& variable) const {
    std::optional<Members> members = members_of(variable.getAllocatedType(), layout_);
    if (!members) return std::nullopt;
    Record record{.members = std::move(*members)};
    uint64_t size = 0;
    for (const Member& member : record.members) size += layout_.getTypeAllocSize(member.type);
    if (size != layout_.getTypeAllocSize(variable.getAllocatedType())) return std::nullopt;
    return follow(variable, 0, size, record) ? std::optional(std::move(record)) : std::nullopt;
  }

  bool follow(Instruction& address, uint64_t offset, uint64_t size, Record& record) const {
    for (Use& use : address.uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (auto* step = dyn_cast<GetElementPtrInst>(user)) {
        APInt distance(layout_.getIndexTypeSizeInBits(step->getType()), offset);
        if (step->getType()->isVectorTy() || !step->accumulateConstantOffset(layout_, distance)) return false;
        record.others.push_back(step);
        if (!follow(*step, distance.getZExtValue(), size, record)) return false;
        continue;
      }
      if (user->isLifetimeStartOrEnd()) {
        record.others.push_back(user);
        continue;
      }
      if (auto* all = dyn_cast<MemIntrinsic>(user)) {
        auto* length = dyn_cast<ConstantInt>(all->getLength());
        const bool is_whole = offset == 0 && length && length->getZExtValue() == size && use.getOperandNo() < 2;
        if (!is_whole || all->isVolatile() || !note(*all, record)) return false;
        continue;
      }
      if (!is_access(*user, use)) return false;
      const auto member = find_if(record.members, [&](const Member& m) { return m.offset == offset; });
      if (member != record.members.end() && fits(*getLoadStoreType(user), *member->type))
        record.accesses.emplace_back(user, member - record.members.begin());
      else if (offset == 0 && is_of_all(*getLoadStoreType(user), record.members))
        record.whole.push_back(user);
      else
        return false;
    }
    return true;
  }

  static bool note(MemIntrinsic& all, Record& record) {
    if (auto* fill = dyn_cast<MemSetInst>(&all)) {
      auto* byte = dyn_cast<ConstantInt>(fill->getValue());
      const bool has_pointers = any_of(record.members, [](const Member& m) { return m.type->isPtrOrPtrVectorTy(); });
      if (!byte || (!byte->isZero() && has_pointers)) return false;
      record.fills.push_back(fill);
      return true;
    }
    auto* copy = dyn_cast<MemTransferInst>(&all);
    if (!copy || copy->getRawDest() == copy->getRawSource()) return false;
    record.copies.push_back(copy);
    return true;
  }

  static bool is_access(const Instruction& user, const Use& use) {
    if (auto* load = dyn_cast<LoadInst>(&user)) return load->isSimple();
    auto* store = dyn_cast<StoreInst>(&user);
    return store && store->isSimple() && use.getOperandNo() == StoreInst::getPointerOperandIndex();
  }

  // As a record is passed: its members, a number of its size, or a vector with an element a member.
  bool is_of_all(Type& type, ArrayRef<Member> members) const {
    if (type.isAggregateType()) {
      const std::optional<Members> accessed = members_of(&type, layout_);
      return accessed && match(*accessed, members);
    }
    if (auto* vector = dyn_cast<FixedVectorType>(&type))
      return vector->getNumElements() == members.size() &&
             all_of(members, [&](const Member& m) { return fits(*vector->getElementType(), *m.type); });
    const Member& last = members.back();
    return type.isIntegerTy(8 * (last.offset + layout_.getTypeAllocSize(last.type))) &&
           none_of(members, [](const Member& m) { return m.type->isPointerTy(); });
  }

  static bool fits(Type& accessed, Type& member) { return CastInst::isBitCastable(&accessed, &member); }

  // What is copied between two records is spelt out once, by members that both have.
  void settle() {
    SmallPtrSet<AllocaInst*, 8> differing;
    do {
      differing.clear();
      for (auto& [variable, record] : records_)
        if (any_of(record.copies, [&](MemTransferInst* copy) { return !match(*copy); })) differing.insert(variable);
      records_.remove_if([&](auto& entry) { return differing.contains(entry.first); });
    } while (!differing.empty());
  }

  Record* record_at(Value* address) {
    auto* variable = dyn_cast<AllocaInst>(address->stripPointerCasts());
    auto entry = variable ? records_.find(variable) : records_.end();
    return entry == records_.end() ? nullptr : &entry->second;
  }

  bool match(const MemTransferInst& copy) {
    const Record *to = record_at(copy.getRawDest()), *from = record_at(copy.getRawSource());
    return !to || !from || match(to->members, from->members);
  }

  static bool match(ArrayRef<Member> a, ArrayRef<Member> b) {
    return equal(a, b, [](const Member& x, const Member& y) { return x.offset == y.offset && fits(*x.type, *y.type); });
  }

  static void redirect(Instruction& access, const Member& member) {
    IRBuilder<> b(&access);
    if (auto* store = dyn_cast<StoreInst>(&access)) {
      b.CreateStore(b.CreateBitCast(store->getValueOperand(), member.type), member.variable);
    } else {
      Value* value = b.CreateBitCast(b.CreateLoad(member.type, member.variable), access.getType());
      access.replaceAllUsesWith(value);
    }
    access.eraseFromParent();
  }

  void read_all(LoadInst& load, ArrayRef<Member> members) const {
    IRBuilder<> b(&load);
    Type* type = load.getType();
    Value* all = type->isIntegerTy() ? Constant::getNullValue(type) : PoisonValue::get(type);
    const Members parts = type->isAggregateType() ? *members_of(type, layout_) : Members{};
    for (auto [k, member] : enumerate(members)) {
      Value* value = b.CreateLoad(member.type, member.variable);
      if (type->isAggregateType()) {
        all = b.CreateInsertValue(all, b.CreateBitCast(value, parts[k].type), parts[k].indices);
      } else if (auto* vector = dyn_cast<FixedVectorType>(type)) {
        all = b.CreateInsertElement(all, b.CreateBitCast(value, vector->getElementType()), k);
      } else {
        Value* bits = b.CreateZExt(b.CreateBitCast(value, bits_of(*member.type)), type);
        all = b.CreateOr(all, b.CreateShl(bits, 8 * member.offset));
      }
    }
    load.replaceAllUsesWith(all);
    load.eraseFromParent();
  }

  void write_all(StoreInst& store, ArrayRef<Member> members) const {
    Value* all = store.getValueOperand();
    const Members parts = all->getType()->isAggregateType() ? *members_of(all->getType(), layout_) : Members{};
    IRBuilder<> b(&store);
    for (auto [k, member] : enumerate(members)) {
      Value* value = nullptr;
      if (all->getType()->isAggregateType()) {
        value = FindInsertedValue(all, parts[k].indices);
        if (!value) value = b.CreateExtractValue(all, parts[k].indices);
      } else if (all->getType()->isVectorTy()) {
        value = b.CreateExtractElement(all, k);
      } else {
        value = b.CreateTrunc(b.CreateLShr(all, 8 * member.offset), bits_of(*member.type));
      }
      b.CreateStore(b.CreateBitCast(value, member.type), member.variable);
    }
    store.eraseFromParent();
  }

  void fill_all(MemSetInst& fill, ArrayRef<Member> members) const {
    const APInt& byte = cast<ConstantInt>(fill.getValue())->getValue();
    IRBuilder<> b(&fill);
    for (const Member& member : members) {
      if (byte.isZero()) {
        b.CreateStore(Constant::getNullValue(member.type), member.variable);
        continue;
      }
      IntegerType* bits = bits_of(*member.type);
      Value* filled = ConstantInt::get(bits, APInt::getSplat(bits->getBitWidth(), byte));
      b.CreateStore(b.CreateBitCast(filled, member.type), member.variable);
    }
    fill.eraseFromParent();
  }

  IntegerType* bits_of(Type& type) const {
    return IntegerType::get(type.getContext(), static_cast<unsigned>(layout_.getTypeSizeInBits(&type)));
  }

  static Value* place_of(IRBuilder<>& b, Value* record, const Member& member) {
    return member.offset ? b.CreateConstGEP1_64(b.getInt8Ty(), record, member.offset) : record;
  }

  // Between two records by their members; to or from other memory by the bytes' own addresses.
  void spell_out(MemTransferInst& copy) {
    if (!spelt_.insert(&copy).second) return;
    const Record *to = record_at(copy.getRawDest()), *from = record_at(copy.getRawSource());
    AAMDNodes notes = copy.getAAMetadata();
    IRBuilder<> b(&copy);
    SmallVector<Value*, kMostMembers> values;
    for (auto [k, member] : enumerate((from ? from : to)->members)) {
      Value* address = from ? member.variable : place_of(b, copy.getRawSource(), member);
      const Align align = commonAlignment(copy.getSourceAlign().valueOrOne(), member.offset);
      LoadInst* load = b.CreateAlignedLoad(member.type, address, align);
      load->setAAMetadata(notes.adjustForAccess(member.offset, member.type, layout_));
      values.push_back(load);
    }
    for (auto [k, member] : enumerate((to ? to : from)->members)) {
      Value* address = to ? member.variable : place_of(b, copy.getRawDest(), member);
      const Align align = commonAlignment(copy.getDestAlign().valueOrOne(), member.offset);
      StoreInst* store = b.CreateAlignedStore(b.CreateBitCast(values[k], member.type), address, align);
      store->setAAMetadata(notes.adjustForAccess(member.offset, member.type, layout_));
    }
  }

  Function& function_;
  const DataLayout& layout_;
  MapVector<AllocaInst*, Record> records_;
  SmallPtrSet<MemTransferInst*, 32> spelt_;
};

}  // namespace

bool flatten_records(Function& function, DominatorTree& tree, size_t least, bool only_pays) {
  return FlatRecords(function).run(tree, least, only_pays);
}

PreservedAnalyses FlatRecordsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (!flatten_records(function, analyses.getResult<DominatorTreeAnalysis>(function), least, only_pays))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
