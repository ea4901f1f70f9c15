#include "compiler/passes/vector/groups/fill_registers.hpp"

#include <set>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
#include "compiler/passes/vector/lanes/table_permutes.hpp"
#include "compiler/passes/vector/scalars/edge_loads.hpp"
#include "compiler/passes/vector/scalars/index_questions.hpp"
#include "compiler/passes/vector/scalars/narrow_bytes.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLanes = 64, kMostAtEdges = 32, kFewEdges = 4;
constexpr int64_t kMostMembers = 4;                     // of pixels, that shuffles take apart
constexpr unsigned kCrosses = 512, kMostOfThrees = 16;  // registers that one shuffle permutes; bytes that others do
constexpr unsigned kTurnBits = 3, kMostDepth = 5;       // loops are taken to make 8 turns
// A wide operation beside so many narrow ones: distances of strings, bytes that each lane loads from its own two and
// 112 sums and minima a turn, take 119 us by 16 lanes, 84 by 32.
constexpr uint64_t kRare = 16;
constexpr unsigned kWide = 32;  // bits of elements that as many lanes as elsewhere are right for

class Elements {
 public:
  Elements(Function& kernel, const GroupShape& group, const TargetMachine& host)
      : kernel_(kernel),
        host_(host),
        layout_(kernel.getParent()->getDataLayout()),
        shapes_(kernel, group),
        tables_(shapes_, layout_) {}

  /// Bits of the widest that differs from lane to lane; kWide too where lanes have no neighbours. What is that wide
  /// does not count where it is next to nothing beside the others' work.
  unsigned widest() {
    const DominatorTree dominators(kernel_);
    const LoopInfo loops(dominators);
    unsigned widest = 8;
    uint64_t wide = 0, narrow = 0;
    for (Instruction& i : instructions(kernel_)) {
      const unsigned bits = bits_of(i), depth = loops.getLoopDepth(i.getParent());
      const uint64_t times = uint64_t{1} << kTurnBits * std::min(depth, kMostDepth);
      if (bits < kWide) widest = std::max(widest, bits);
      if (bits >= kWide && !may_be_rare(i)) return kWide;
      (bits >= kWide ? wide : narrow) += bits != 0 ? times : 0;
    }
    has_wide_ = wide != 0;
    return wide * kRare <= narrow ? widest : kWide;
  }

  /// Behind widest(). What a group does at many edges, with indices of 32 bits, costs more than many lanes gain.
  unsigned most_lanes(unsigned bits) const {
    if (stores_threes_ && bits < kCrosses) return kMostOfThrees;
    return has_wide_ || edges_ > kFewEdges || stores_between_loads_ ? kMostAtEdges : kMostLanes;
  }

  /// Behind widest(): whether lanes lie in an order that goes by how many there are.
  bool has_order() const { return has_order_; }

 private:
  // Arithmetic, and what each lane loads or stores.
  static bool may_be_rare(const Instruction& i) {
    return !isa<AllocaInst>(i) && (!i.mayReadOrWriteMemory() || isa<LoadInst, StoreInst>(i));
  }

  unsigned bits_of(Instruction& i) {
    if (isa<LoadInst, StoreInst>(i)) return bits_of_access(i);
    if (counts_lanes(i) || (is_answer(&i) && all_of(i.users(), [](User* user) { return isa<StoreInst>(user); })))
      return 0;
    if (isa<AllocaInst>(i) || (i.mayReadOrWriteMemory() && !as_sync(i))) return kWide;
    if (!shapes_[&i].is_varying() || i.getType()->isVoidTy() || i.getType()->isIntegerTy(1)) return 0;
    return is_index(&i) ? 0 : layout_.getTypeSizeInBits(i.getType());
  }

  unsigned bits_of_access(Instruction& i) {
    Value* address = getLoadStorePointerOperand(&i);
    Type* type = getLoadStoreType(&i);
    const Shape shape = shape_of(address);
    auto* load = dyn_cast<LoadInst>(&i);
    if (runs_for_one(*i.getParent(), shapes_)) return 0;
    if (shape.is_uniform()) return load || shapes_.is_uniform(i.getOperand(0)) ? 0 : kWide;
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type));
    const int64_t stride = std::abs(shape.stride);
    const bool is_member = shape.is_strided() && stride > size && stride <= kMostMembers * size;
    if (is_member && (load || fills_records(cast<StoreInst>(i), stride / size))) {
      stores_between_loads_ |= !load && is_followed_by_load(i);
      stores_threes_ |= !load && stride == 3 * size;
      return layout_.getTypeSizeInBits(type);
    }
    if (load && (is_in_table(*address, type) || is_in_known_order(*address, size)))
      return layout_.getTypeSizeInBits(type);
    const bool is_neighbour = shape.is_strided() && shape.stride == size;
    if (!is_neighbour && !(load && loads_neighbours_but_for_edges(*load, shapes_))) return kWide;
    edges_ += !is_neighbour;
    return !load && is_answer(i.getOperand(0)) ? 0 : layout_.getTypeSizeInBits(type);
  }

  bool is_in_table(const Value& address, Type* type) const {
    auto* element = dyn_cast<GetElementPtrInst>(&address);
    return element && shapes_.is_uniform(element->getPointerOperand()) && is_in_short_table(*element, type, host_);
  }

  // `in[x / 2]`: no more of memory than there are lanes, which shuffles put in order.
  bool is_in_known_order(const Value& address, int64_t size) {
    const LaneTable* table = shapes_[&address].is_varying() ? tables_.of(&address) : nullptr;
    if (!table) return false;
    const auto [least, most] = std::minmax_element(table->offsets.begin(), table->offsets.end());
    has_order_ = true;
    return *most - *least < size * shapes_.group().lanes;
  }

  // Of a mask the lanes are counted.
  bool counts_lanes(const Instruction& i) const {
    auto* atomic = dyn_cast<AtomicRMWInst>(&i);
    return atomic && atomic->getType()->isIntegerTy() && atomic->use_empty() && !atomic->isVolatile() &&
           shapes_.is_uniform(atomic->getPointerOperand()) && shapes_.is_uniform(atomic->getValOperand());
  }

  // Yes or no, which a mask becomes where it is stored.
  static bool is_answer(const Value* v) {
    if (auto* choice = dyn_cast<SelectInst>(v))
      return isa<Constant>(choice->getTrueValue()) && isa<Constant>(choice->getFalseValue());
    auto* cast = dyn_cast<CastInst>(v);
    return cast && cast->isIntegerCast() && cast->getSrcTy()->isIntegerTy(1);
  }

  // As in the copies that version_sums() will make, where indices do not wrap.
  Shape shape_of(const Value* address) const {
    const Shape shape = shapes_[address];
    auto* element = dyn_cast<GetElementPtrInst>(address);
    if (!shape.is_varying() || !element) return shape;
    if (element->hasAllConstantIndices()) return shape_of(element->getPointerOperand());
    auto* index = dyn_cast<CastInst>(*element->idx_begin());
    if (!index || element->getNumIndices() != 1 || !shapes_.is_uniform(element->getPointerOperand())) return shape;
    const Shape narrow = shapes_[index->getOperand(0)];
    const auto size = static_cast<int64_t>(layout_.getTypeAllocSize(element->getSourceElementType()));
    return narrow.is_strided() ? Shape{Shape::Strided, 0, narrow.stride * size} : shape;
  }

  // Each of the members of the record, next to each other, is stored in the same block.
  bool fills_records(const StoreInst& store, int64_t members) const {
    Type* type = store.getValueOperand()->getType();
    const AddressTerms terms = terms_of(store.getPointerOperand(), layout_);
    std::set<int64_t> places;
    for (const Instruction& i : *store.getParent()) {
      auto* other = dyn_cast<StoreInst>(&i);
      if (!other || !other->isSimple() || other->getValueOperand()->getType() != type) continue;
      const AddressTerms others = terms_of(other->getPointerOperand(), layout_);
      if (others.has_same_terms(terms)) places.insert(static_cast<int64_t>(others.constant - terms.constant));
    }
    if (places.size() != static_cast<size_t>(members)) return false;
    return *places.rbegin() - *places.begin() == (members - 1) * static_cast<int64_t>(layout_.getTypeStoreSize(type));
  }

  static bool is_followed_by_load(const Instruction& i) {
    return any_of(make_range(i.getIterator(), i.getParent()->end()),
                  [](const Instruction& j) { return isa<LoadInst>(j); });
  }

  // Only addresses and comparisons are made of it.
  bool is_index(const Value* v, unsigned depth = 8) const {
    if (isa<GetElementPtrInst>(v)) return true;
    if (!v->getType()->isIntegerTy() || depth == 0) return false;
    return all_of(v->users(), [&](const User* user) {
      if (isa<GetElementPtrInst, ICmpInst>(user)) return true;
      if (isa<PHINode>(user)) return is_index(user, depth / 2);
      return isa<BinaryOperator, CastInst, SelectInst, MinMaxIntrinsic>(user) && is_index(user, depth - 1);
    });
  }

  Function& kernel_;
  const TargetMachine& host_;
  const DataLayout& layout_;
  const Shapes shapes_;
  LaneTables tables_;
  unsigned edges_ = 0;
  bool has_wide_ = false;
  bool stores_threes_ = false;
  bool has_order_ = false;
  bool stores_between_loads_ = false;  ///< of members: where arrays overlap each is stored by itself
};

bool has_narrow_accesses(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& i) {
    return isa<LoadInst, StoreInst>(i) && getLoadStoreType(&i)->getScalarSizeInBits() < kWide;
  });
}

}  // namespace

GroupShape fill_registers(Function& kernel, const GroupShape& group, unsigned bits, PassRunner& runner,
                          const TargetMachine& host) {
  if (!has_narrow_accesses(kernel)) return group;
  const bool in_rows = can_take_whole_rows(kernel, group);
  auto asked = [&](unsigned lanes) {
    return in_rows ? GroupShape::of_rows(lanes, group.block) : group.with_lanes(lanes);
  };
  if (narrow_bytes(kernel, asked(group.lanes))) runner.run(kernel, kTidyScalars);
  Elements elements(kernel, asked(group.lanes), host);
  const unsigned widest = elements.widest();
  unsigned lanes = std::min(elements.most_lanes(bits), bits / widest);
  // More lanes may be in no known order.
  while (elements.has_order() && lanes > group.lanes && Elements(kernel, asked(lanes), host).widest() > widest)
    lanes /= 2;
  if (lanes <= group.lanes || (!in_rows && group.block[0] % lanes != 0)) return group;
  return group.with_lanes(lanes);
}

}  // namespace lanza::compiler
