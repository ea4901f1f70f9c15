#include "compiler/passes/vector/scalars/edge_loads.hpp"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/scalars/index_questions.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostBranches = 24;  // of a kernel: the code of each is short, but it is there for every load
constexpr unsigned kMostRounds = 4;     // edges in one another
constexpr int64_t kMostStride = 16;     // elements: what is loaded as whole records

/// Where `beyond` holds `at` is `bound`, else `index`, which goes with the lanes.
struct Edge {
  Instruction* at = nullptr;
  Value *index = nullptr, *bound = nullptr;
};

/// Whether an index goes along a window: turn after turn of a loop by a few elements, where a grid's stride is long.
class Windows {
 public:
  explicit Windows(Function& kernel) : dominators_(kernel), loops_(dominators_) {}

  bool goes_along(const Value* index, unsigned depth = 8) const {
    auto* i = dyn_cast<Instruction>(index);
    if (!i || depth == 0 || !loops_.getLoopFor(i->getParent())) return false;
    if (auto* phi = dyn_cast<PHINode>(i)) return is_short_step(*phi);
    return isa<BinaryOperator, CastInst>(i) &&
           any_of(i->operand_values(), [&](const Value* part) { return goes_along(part, depth - 1); });
  }

 private:
  bool is_short_step(const PHINode& counter) const {
    const Loop* loop = loops_.getLoopFor(counter.getParent());
    if (loop->getHeader() != counter.getParent() || !loop->getLoopLatch()) return false;
    auto* next = dyn_cast<BinaryOperator>(counter.getIncomingValueForBlock(loop->getLoopLatch()));
    auto* step = next && next->getOpcode() == Instruction::Add && next->getOperand(0) == &counter
                     ? dyn_cast<ConstantInt>(next->getOperand(1))
                     : nullptr;
    return step && step->getValue().abs().ule(kMostStride);
  }

  const DominatorTree dominators_;
  const LoopInfo loops_;
};

/// Finds the edges of addresses.
class Edges {
 public:
  Edges(const Shapes& shapes, const DataLayout& layout) : shapes_(shapes), layout_(layout) {}

  /// None: the load's lanes have no neighbours, or are such themselves.
  Edge of(LoadInst& load) const {
    if (!load.isSimple() || !shapes_[load.getPointerOperand()].is_varying()) return {};
    const Edge edge = edge_in(load.getPointerOperand());
    return edge.at && strides(load, edge) ? edge : Edge{};
  }

  /// With one side that is the same for all lanes, or goes with them as the other one does. Of indices or addresses.
  Edge as_edge(Instruction& i) const {
    if (!i.getType()->isIntOrPtrTy() || i.getType()->isIntegerTy(1)) return {};
    Value *a, *b;
    if (isa<MinMaxIntrinsic>(i)) {
      a = i.getOperand(0);
      b = i.getOperand(1);
    } else if (isa<SelectInst>(i)) {
      a = i.getOperand(1);
      b = i.getOperand(2);
    } else {
      return {};
    }
    if (is_uniform(a)) std::swap(a, b);
    return {&i, a, b};
  }

 private:
  bool is_uniform(const Value* v) const { return shapes_.is_uniform(v); }

  // The one that no other one is made of.
  Edge edge_in(Value* v, unsigned depth = 12) const {
    auto* i = dyn_cast<Instruction>(v);
    if (!i || depth == 0 || !shapes_[v].is_varying()) return {};
    if (Edge edge = as_edge(*i); edge.at) return edge;
    if (!isa<BinaryOperator, CastInst, GetElementPtrInst>(i)) return {};
    for (Value* operand : i->operands())
      if (Edge edge = edge_in(operand, depth - 1); edge.at) return edge;
    return {};
  }

  bool strides(LoadInst& load, const Edge& edge) const {
    Value* address = load.getPointerOperand();
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(load.getType()));
    const auto inside = stride(address, edge, edge.index), beyond = stride(address, edge, edge.bound);
    return inside && beyond && *inside && std::abs(*inside) <= kMostStride * size && (*beyond == 0 || beyond == inside);
  }

  // From lane to lane, if `taken` stands for the edge, and indices for the edges that it is made of.
  std::optional<int64_t> stride(Value* v, const Edge& edge, Value* taken, unsigned depth = 16) const {
    const Shape shape = shapes_[v];
    if (!shape.is_varying()) return shape.stride;
    auto* i = dyn_cast<Instruction>(v);
    if (!i || depth == 0) return {};
    auto of = [&](Value* operand) { return stride(operand, edge, taken, depth - 1); };
    if (i == edge.at) return of(taken);
    if (Edge other = as_edge(*i); other.at) return of(other.index);
    if (auto* address = dyn_cast<GetElementPtrInst>(i)) return stride_of_address(*address, of);
    if (isa<SExtInst, ZExtInst>(i))
      return extends(i->getOperand(0), edge, taken, is_signed(*i)) ? of(i->getOperand(0)) : std::nullopt;
    if (!isa<BinaryOperator>(i)) return {};
    const auto a = of(i->getOperand(0)), b = of(i->getOperand(1));
    if (!a || !b) return {};
    auto* factor = dyn_cast<ConstantInt>(i->getOperand(1));
    const bool scales = factor && factor->getBitWidth() <= 64 && factor->getValue().abs().ult(1 << 16);
    switch (i->getOpcode()) {
      case Instruction::Or:
        if (!cast<PossiblyDisjointInst>(i)->isDisjoint()) return {};
        [[fallthrough]];
      case Instruction::Add:
        return *a + *b;
      case Instruction::Sub:
        return *a - *b;
      case Instruction::Mul:
        return scales ? std::optional(*a * factor->getSExtValue()) : std::nullopt;
      case Instruction::Shl:
        return scales && factor->getValue().ult(32) ? std::optional(*a << factor->getZExtValue()) : std::nullopt;
      default:
        return {};
    }
  }

  static bool is_signed(const Instruction& extension) {
    auto* zero = dyn_cast<ZExtInst>(&extension);
    return !zero || zero->hasNonNeg();
  }

  template <class Of>
  std::optional<int64_t> stride_of_address(GetElementPtrInst& i, const Of& of) const {
    auto sum = of(i.getPointerOperand());
    for (auto type = gep_type_begin(i); sum && type != gep_type_end(i); ++type) {
      const auto index = of(type.getOperand());
      if (!index) return {};
      if (*index == 0) continue;
      if (!type.isSequential() || !type.getOperand()->getType()->isIntegerTy(64)) return {};
      *sum += *index * static_cast<int64_t>(type.getSequentialElementStride(layout_).getFixedValue());
    }
    return sum;
  }

  // Shapes::extends(), if `taken` stands for the edge.
  bool extends(Value* v, const Edge& edge, Value* taken, bool is_signed, unsigned depth = 12) const {
    if (!shapes_[v].is_varying()) return shapes_.extends(v, is_signed);
    auto* i = dyn_cast<Instruction>(v);
    if (!i || depth == 0) return false;
    auto part = [&](Value* operand, bool s) { return extends(operand, edge, taken, s, depth - 1); };
    if (i == edge.at) return part(taken, is_signed);
    if (Edge other = as_edge(*i); other.at) return part(other.index, is_signed);
    if (isa<SExtInst>(i)) return is_signed && part(i->getOperand(0), true);
    if (isa<ZExtInst>(i)) return part(i->getOperand(0), is_signed && cast<ZExtInst>(i)->hasNonNeg());
    if (auto* sum = dyn_cast<OverflowingBinaryOperator>(i)) {
      if (!(is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap())) return false;
    } else if (auto* parts = dyn_cast<PossiblyDisjointInst>(i); !parts || !parts->isDisjoint()) {
      return false;
    }
    return part(i->getOperand(0), is_signed) && part(i->getOperand(1), is_signed);
  }

  const Shapes& shapes_;
  const DataLayout& layout_;
};

class EdgeLoads {
 public:
  EdgeLoads(Function& kernel, const GroupShape& group)
      : kernel_(kernel),
        layout_(kernel.getParent()->getDataLayout()),
        group_(group),
        masks_bytes_(kernel.getFnAttribute("target-features").getValueAsString().contains("+avx512bw")) {}

  bool run() {
    bool changed = false;
    for (unsigned round = 0; round < kMostRounds && branch_all(); ++round) changed = true;
    return changed;
  }

 private:
  struct Together {
    Edge edge;
    SmallVector<LoadInst*, 8> loads;
    bool in_window = false;
  };

  bool branch_all() {
    shapes_.emplace(kernel_, group_);
    LaneTables tables(*shapes_, layout_);
    std::vector<Together> found;
    for (BasicBlock& block : kernel_) find(block, tables, found);
    if (branches_ + found.size() > kMostBranches) return false;
    if (!found.empty()) {
      const Windows windows(kernel_);
      for (Together& together : found) together.in_window = windows.goes_along(together.edge.index);
    }
    for (const Together& together : found) branch(together);
    branches_ += found.size();
    return !found.empty();
  }

  void find(BasicBlock& block, LaneTables& tables, std::vector<Together>& found) {
    if (runs_for_one(block, *shapes_)) return;  // that asks for itself (use_known_places)
    const Edges edges(*shapes_, layout_);
    const size_t first = found.size();
    size_t open = first;  // what was found before is behind a write
    for (Instruction& i : block) {
      if (i.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&i)) open = found.size();
      auto* load = dyn_cast<LoadInst>(&i);
      const Edge edge = load ? edges.of(*load) : Edge{};
      if (!edge.at || lie_in_order(*load, tables)) continue;
      auto known = std::find_if(found.begin() + static_cast<ptrdiff_t>(open), found.end(),
                                [&](const Together& t) { return t.edge.at == edge.at; });
      if (known != found.end() && can_hoist(load->getPointerOperand(), *known->loads.front()))
        known->loads.push_back(load);
      else
        found.push_back({edge, {load}});
    }
  }

  // Within a vector, in an order that is known: a shuffle of it (tabled_accesses.hpp).
  bool lie_in_order(const LoadInst& load, LaneTables& tables) const {
    const LaneTable* table = tables.of(load.getPointerOperand());
    if (!table) return false;
    const auto [least, greatest] = std::minmax_element(table->offsets.begin(), table->offsets.end());
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(load.getType()).getFixedValue());
    return *greatest - *least < size * group_.lanes;
  }

  // What the address is computed of may stand before the first of the loads, which is in the same block.
  static bool can_hoist(const Value* v, const LoadInst& first) {
    auto* i = dyn_cast<Instruction>(v);
    if (!i || i->getParent() != first.getParent() || i->comesBefore(&first)) return true;
    if (isa<PHINode>(i) || i->mayReadOrWriteMemory() || i->mayHaveSideEffects()) return false;
    return all_of(i->operands(), [&](const Use& operand) { return can_hoist(operand, first); });
  }

  static void hoist(Value* v, LoadInst& first) {
    auto* i = dyn_cast<Instruction>(v);
    if (!i || i->getParent() != first.getParent() || i->comesBefore(&first)) return;
    for (Value* operand : i->operands()) hoist(operand, first);
    i->moveBefore(&first);
  }

  static Value* is_beyond(IRBuilder<>& b, const Edge& edge) {
    if (auto* clamp = dyn_cast<MinMaxIntrinsic>(edge.at))
      return b.CreateICmp(clamp->getPredicate(), edge.bound, edge.index);
    auto* select = cast<SelectInst>(edge.at);
    Value* chosen = select->getCondition();
    return select->getTrueValue() == edge.bound ? chosen : b.CreateNot(chosen);
  }

  void branch(const Together& together) {
    LoadInst* first = together.loads.front();
    for (LoadInst* load : drop_begin(together.loads)) hoist(load->getPointerOperand(), *first);
    IRBuilder<> b(first);
    Instruction *beyond, *inside;
    SplitBlockAndInsertIfThenElse(is_beyond(b, together.edge), first, &beyond, &inside);
    for (LoadInst* load : together.loads) {
      b.SetInsertPoint(first->getParent(), first->getParent()->begin());
      PHINode* value = b.CreatePHI(load->getType(), 2);
      value->addIncoming(copy(*load, *beyond, together.edge.at, together.edge.bound), beyond->getParent());
      LoadInst* neighbours = copy(*load, *inside, together.edge.at, together.edge.index);
      note(*neighbours, together);
      value->addIncoming(neighbours, inside->getParent());
      load->replaceAllUsesWith(value);
    }
    for (LoadInst* load : together.loads)
      if (load != first) shapes_->erase(*load);
    shapes_->erase(*first);
  }

  void note(LoadInst& neighbours, const Together& together) const {
    if (together.in_window)
      note_cost(neighbours, kEdgeCost,
                "each turn of the loop asks which lanes are beyond the edge: a masked load for those inside, another "
                "one for the rest; a row with what lies beyond its ends, made once, would need neither");
    else if (!masks_bytes_ && layout_.getTypeStoreSize(neighbours.getType()) < 4)
      note_cost(neighbours, kEdgeCost,
                "lanes beyond the edge load something else, and this processor has no masked loads of bytes and "
                "shorts; a row with what lies beyond its ends, made once, would need none");
  }

  LoadInst* copy(LoadInst& load, Instruction& at, Value* edge, Value* taken) {
    IRBuilder<> b(&at);
    DenseMap<Value*, Value*> copies{{edge, taken}};
    Value* address = copy(load.getPointerOperand(), b, copies);
    auto* result = cast<LoadInst>(b.Insert(load.clone()));
    result->setOperand(LoadInst::getPointerOperandIndex(), address);
    return result;
  }

  // What varies is made of the edge, and only that. Where `taken` is taken, it is the edge's value: flags hold.
  Value* copy(Value* v, IRBuilder<>& b, DenseMap<Value*, Value*>& copies) {
    if (Value* known = copies.lookup(v)) return known;
    auto* i = dyn_cast<Instruction>(v);
    if (!i || !(*shapes_)[v].is_varying() || is_inner_edge(*i)) return v;
    Instruction* result = i->clone();
    for (Use& operand : result->operands()) operand.set(copy(operand, b, copies));
    b.Insert(result);
    return copies[v] = result;
  }

  bool is_inner_edge(Instruction& i) const { return Edges(*shapes_, layout_).as_edge(i).at; }

  Function& kernel_;
  const DataLayout& layout_;
  const GroupShape group_;
  const bool masks_bytes_;
  std::optional<Shapes> shapes_;  ///< of this round
  unsigned branches_ = 0;
};

}  // namespace

bool loads_neighbours_but_for_edges(LoadInst& load, const Shapes& shapes) {
  return Edges(shapes, load.getModule()->getDataLayout()).of(load).at;
}

bool edge_loads(Function& kernel, const GroupShape& group) { return group.lanes > 1 && EdgeLoads(kernel, group).run(); }

}  // namespace lanza::compiler
