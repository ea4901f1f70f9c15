#include "compiler/passes/vector/widen/linearise.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "compiler/passes/lane_functions.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/control_graph.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/turn_steps.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/index_questions.hpp"
#include "compiler/passes/vector/widen/leave_apart.hpp"
#include "compiler/passes/vector/widen/note_inside.hpp"
#include "compiler/passes/vector/widen/turned_uniform.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

using Node = ControlGraph::Node;

constexpr unsigned kWorthTest = 12;  // instructions that cost more than a test whether any lane needs them
constexpr unsigned kSlow = 4;        // instructions in whose time an access, a quotient or a root is made

/// Blocks in a divergent region that are entered at `head` and run with one mask. A closed item has one way out, from
/// `last` to `exit`; an open one ends with a branch of its own, whose ways meet those of other items.
struct Item {
  Node* head = nullptr;
  Node* last = nullptr;
  Node* exit = nullptr;  ///< null: open
  SmallVector<Node*, 8> nodes;
  BasicBlock* guard = nullptr;
  Value* mask = nullptr;
  unsigned behind = 0;  ///< index of the first item that may run when this one is skipped
};

/// A way from the branch or an item (`from` null: from the branch) to the head of an item or to the join.
struct Way {
  Item* from = nullptr;
  BasicBlock* block = nullptr;  ///< the predecessor
  Node* to = nullptr;
  WeakTrackingVH mask;
  int side = -1;  ///< the successor of the branch where it must have begun, if that is clear
};

class Linearise;

/// A divergent branch and what lies between it and its join.
class Region {
 public:
  Region(Linearise& whole, ControlGraph& graph, Node& branch, Value* mask);
  void run();

 private:
  void find_items();
  void close(Item& item);
  void lay_out();
  void place(Item* item, DenseMap<Item*, SmallVector<Item*, 4>>& inside);
  void find_ways();
  void add_branch_ways(Item* from, BranchInst* branch);
  void take_phis();
  void rewire();
  void compute_masks();
  void blend();
  struct Taken {
    Instruction* place;  ///< stands for the value until it is there
    bool one_way;        ///< known: all lanes that come take the same way
    SmallVector<std::pair<Way*, WeakTrackingVH>, 4> values;
  };
  Value* blend(const Taken& taken);
  Value* blend_behind_guard(BasicBlock* at, const Way& way, Value* value, Value* other);
  Value* available(Value* value, BasicBlock* at, Value* otherwise);
  bool is_inside(Value* value) const;
  bool needs_guard(const Item& item) const;

  Linearise& whole_;
  ControlGraph& graph_;
  Node& branch_;
  Node& join_;
  Value* mask_;
  WeakTrackingVH condition_;
  std::deque<Item> items_;
  DenseMap<Node*, Item*> item_of_;
  SmallVector<Item*, 8> layout_;
  std::deque<Way> ways_;
  std::vector<Taken> taken_;
};

class Linearise {
 public:
  Linearise(Function& function, const GroupShape& group)
      : function(function), shapes(function, group), dominators_(function), loops_(dominators_) {}

  void run() {
    ControlGraph graph(function, loops_, nullptr);
    chain(graph, graph.entry(), graph.end(), nullptr);
  }

  /// The nodes that all lanes with `mask` pass from `from` on, and what lies between them. `mask` null: all lanes.
  void chain(ControlGraph& graph, Node* from, Node* to, Value* mask) {
    for (Node* node = from; node != to; node = node->post_dominator) visit(graph, *node, mask);
  }

  void set_mask(BasicBlock& block, Value* mask) {
    if (!mask) return;
    IRBuilder<> b(&block, block.getFirstInsertionPt());
    FunctionCallee callee = function.getParent()->getOrInsertFunction(kMask, b.getVoidTy(), b.getInt1Ty());
    cast<Function>(callee.getCallee())->setDoesNotThrow();
    b.CreateCall(callee, mask);
  }

  Function& function;
  Shapes shapes;
  bool is_divergent(const Node& node) const { return !node.loop && shapes.is_divergent(node.block->getTerminator()); }

 private:
  void visit(ControlGraph& graph, Node& node, Value* mask) {
    if (node.loop)
      visit_loop(*node.loop, mask);
    else
      set_mask(*node.block, mask);
    if (node.successors.size() < 2) return;
    const auto between = ControlGraph::between(&node);
    const bool divergent = shapes.is_divergent(node.block->getTerminator());
    if (!divergent && ControlGraph::has_sides_apart(node, between)) {
      for (Node* side : node.successors)
        if (side != node.post_dominator) chain(graph, side, node.post_dominator, mask);
    } else if (!divergent && part_for_a_while(between)) {
      visit_each(graph, between, mask);
    } else {
      part_join(graph, node, between);
      Region(*this, graph, node, mask).run();
    }
  }

  // Where lanes part they do so in what the branch encloses, however often they part again in there.
  bool part_for_a_while(ArrayRef<Node*> nodes) const {
    SmallPtrSet<Node*, 16> inside;
    for (Node* n : nodes) {
      if (inside.contains(n) || !is_divergent(*n)) continue;
      if (!ControlGraph::encloses(*n)) return false;
      const auto between = ControlGraph::between(n);
      inside.insert(between.begin(), between.end());
    }
    return true;
  }

  // All lanes go one way through them, but where divergent branches part them for a while.
  void visit_each(ControlGraph& graph, ArrayRef<Node*> nodes, Value* mask) {
    SmallPtrSet<Node*, 16> inside;
    for (Node* n : nodes) {
      if (inside.contains(n)) continue;
      n->loop ? visit_loop(*n->loop, mask) : set_mask(*n->block, mask);
      if (!is_divergent(*n)) continue;
      const auto between = ControlGraph::between(n);
      inside.insert(between.begin(), between.end());
      part_join(graph, *n, between);
      Region(*this, graph, *n, mask).run();
    }
  }

  // Where a branch stands on one side of a uniform one, its join may be theirs too: its own ways meet before.
  static void part_join(ControlGraph& graph, Node& branch, ArrayRef<Node*> between) {
    Node* join = branch.post_dominator;
    auto is_own = [&](Node* n) { return n == &branch || is_contained(between, n); };
    if (!join->block || all_of(join->predecessors, is_own)) return;
    SmallVector<Node*, 4> from;
    SmallVector<BasicBlock*, 4> blocks;
    copy_if(join->predecessors, std::back_inserter(from), is_own);
    for (BasicBlock* p : predecessors(join->block))
      if (is_own(graph.node_of(p)) && !is_contained(blocks, p)) blocks.push_back(p);
    graph.split(from, join, SplitBlockPredecessors(join->block, blocks, ".join"));
  }

  // A loop that lanes leave apart goes on while one of them is in it; what a lane takes out is what it had last.
  void visit_loop(Loop& loop, Value* mask) {
    ControlGraph graph(function, loops_, &loop);
    BasicBlock *header = loop.getHeader(), *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch(),
               *exit = loop.getUniqueExitBlock();
    if (!shapes.is_left_apart(header) || cast<BranchInst>(latch->getTerminator())->isUnconditional())
      return chain(graph, graph.entry(), graph.end(), mask);
    IRBuilder<> b(&header->front());
    PHINode* live = b.CreatePHI(b.getInt1Ty(), 2, "live");
    live->addIncoming(mask ? mask : b.getTrue(), before);
    chain(graph, graph.entry(), graph.end(), live);
    leave_apart(*live, *latch, *exit);
    if (!steps_over_group(loop, shapes))
      note_cost(*latch->getTerminator(), kLeftApartCost, "lanes that are done wait for the one that takes longest");
  }

  DominatorTree dominators_;
  LoopInfo loops_;
};

Region::Region(Linearise& whole, ControlGraph& graph, Node& branch, Value* mask)
    : whole_(whole),
      graph_(graph),
      branch_(branch),
      join_(*branch.post_dominator),
      mask_(mask),
      condition_(cast<BranchInst>(branch.block->getTerminator())->getCondition()) {}

void Region::run() {
  find_items();
  for (Item& item : items_) close(item);
  lay_out();
  find_ways();
  take_phis();
  rewire();
  compute_masks();
  blend();
  for (Item* item : layout_) {
    whole_.chain(graph_, item->head, item->exit ? item->exit : item->last, item->mask);
    if (!item->exit) whole_.set_mask(*item->last->block, item->mask);
  }
}

// As long as all ways from an item meet again at a node that only they reach, it goes on there.
void Region::find_items() {
  for (Node* node : ControlGraph::between(&branch_)) {
    if (item_of_.contains(node)) continue;
    Item& item = items_.emplace_back();
    item.head = node;
    auto take = [&](Node* n) {
      item.nodes.push_back(n);
      item_of_[n] = &item;
    };
    take(node);
    for (item.last = node;; take(item.last)) {
      Node* next = item.last->post_dominator;
      const auto between = ControlGraph::between(item.last);
      if (!all_of(between, [&](Node* n) { return ControlGraph::dominates(item.last, n); })) break;
      for (Node* n : between) take(n);
      item.exit = next;
      if (next == &join_ || !ControlGraph::dominates(node, next)) break;
      item.last = next;
      item.exit = nullptr;
    }
  }
}

// One block from which the item is left.
void Region::close(Item& item) {
  if (!item.exit) return;
  SmallVector<BasicBlock*, 4> blocks;
  for (BasicBlock* p : predecessors(item.exit->block))
    if (item_of_.lookup(graph_.node_of(p)) == &item && !is_contained(blocks, p)) blocks.push_back(p);
  if (blocks.size() < 2) return;
  SmallVector<Node*, 4> from;
  for (Node* p : item.exit->predecessors)
    if (item_of_.lookup(p) == &item) from.push_back(p);
  BasicBlock* side = SplitBlockPredecessors(item.exit->block, blocks, ".side");
  item.last = graph_.split(from, item.exit, side);
  item.nodes.push_back(item.last);
  item_of_[item.last] = &item;
}

// In topological order, and so that what an item dominates follows it at once: then one jump skips all of that.
void Region::lay_out() {
  DenseMap<Item*, SmallVector<Item*, 4>> inside;
  for (Item& item : items_) inside[item_of_.lookup(item.head->dominator)].push_back(&item);
  for (auto& entry : inside) sort(entry.second, [](Item* a, Item* b) { return a->head->position < b->head->position; });
  for (Item* item : inside[nullptr]) place(item, inside);
}

void Region::place(Item* item, DenseMap<Item*, SmallVector<Item*, 4>>& inside) {
  layout_.push_back(item);
  for (Item* next : inside.lookup(item)) place(next, inside);
  item->behind = layout_.size();
}

void Region::find_ways() {
  add_branch_ways(nullptr, cast<BranchInst>(branch_.block->getTerminator()));
  for (Item* item : layout_) {
    if (!item->exit) {
      add_branch_ways(item, cast<BranchInst>(item->last->block->getTerminator()));
      continue;
    }
    BasicBlock* from = nullptr;
    for (BasicBlock* p : predecessors(item->exit->block))
      if (item_of_.lookup(graph_.node_of(p)) == item) from = p;
    ways_.push_back({item, from, item->exit, {}});
  }
  for (Way& way : ways_) {
    if (way.side >= 0 || !way.from->exit) continue;
    SmallVector<Way*, 2> in;
    for (Way& other : ways_)
      if (other.to == way.from->head) in.push_back(&other);
    if (in.size() == 1 && !in[0]->from) way.side = in[0]->side;
  }
}

void Region::add_branch_ways(Item* from, BranchInst* branch) {
  for (int side = 0; side < 2; ++side)
    ways_.push_back({from, branch->getParent(), graph_.node_of(branch->getSuccessor(side)), {}, from ? -1 : side});
}

// While the edges change no phi may name them.
void Region::take_phis() {
  auto take = [&](Node* node) {
    for (PHINode& phi : make_early_inc_range(node->block->phis())) {
      auto* place = new FreezeInst(PoisonValue::get(phi.getType()), phi.getName(), node->block->getFirstInsertionPt());
      Taken& taken = taken_.emplace_back(Taken{place, whole_.shapes[&phi].kind == Shape::Strided, {}});
      for (Way& way : ways_)
        if (way.to == node) taken.values.push_back({&way, phi.getIncomingValueForBlock(way.block)});
      phi.replaceAllUsesWith(place);
      whole_.shapes.erase(phi);
    }
  };
  for (Item* item : layout_) take(item->head);
  take(&join_);
}

void Region::rewire() {
  Function& f = whole_.function;
  LLVMContext& c = f.getContext();
  for (Item* item : layout_) item->guard = BasicBlock::Create(c, "guard", &f, item->head->block);
  auto block_at = [&](unsigned k) { return k < layout_.size() ? layout_[k]->guard : join_.block; };
  auto go = [&](BasicBlock* from, BasicBlock* to) {
    const DebugLoc where = from->getTerminator()->getDebugLoc();
    whole_.shapes.erase(*from->getTerminator());
    BranchInst::Create(to, from)->setDebugLoc(where);
  };
  for (Way& way : ways_) {  // masks need the conditions of the branches that go
    if (way.from && way.from->exit) continue;
    auto* branch = cast<BranchInst>(way.block->getTerminator());
    IRBuilder<> b(branch);
    const bool first = graph_.node_of(branch->getSuccessor(0)) == way.to;
    way.mask = first ? branch->getCondition() : b.CreateNot(branch->getCondition());
  }
  go(branch_.block, block_at(0));
  for (unsigned k = 0; k < layout_.size(); ++k) {
    Item& item = *layout_[k];
    if (item.exit) {
      for (Way& way : ways_)
        if (way.from == &item) way.block->getTerminator()->replaceSuccessorWith(item.exit->block, block_at(k + 1));
    } else {
      go(item.last->block, block_at(k + 1));
    }
    const DebugLoc where = branch_.block->getTerminator()->getDebugLoc();
    BranchInst* enter = needs_guard(item) ? BranchInst::Create(item.head->block, block_at(item.behind),
                                                               ConstantInt::getFalse(c), item.guard)
                                          : BranchInst::Create(item.head->block, item.guard);
    enter->setDebugLoc(where);
  }
}

// An item's mask is computed in its guard; what leaves by a branch, at that branch.
void Region::compute_masks() {
  auto both = [&](IRBuilder<>& b, Value* x, Value* y) { return x ? b.CreateLogicalAnd(x, y) : y; };
  for (Way& way : ways_)
    if (!way.from) {
      IRBuilder<> b(way.block->getTerminator());
      way.mask = both(b, mask_, way.mask);
    }
  for (Item* item : layout_) {
    IRBuilder<> b(item->guard->getTerminator());
    for (Way& way : ways_)
      if (way.to == item->head) {
        Value* in = available(way.mask, item->guard, b.getFalse());
        item->mask = item->mask ? b.CreateOr(item->mask, in) : in;
      }
    auto* enter = cast<BranchInst>(item->guard->getTerminator());
    if (enter->isConditional()) enter->setCondition(emit_collective(b, kAny, item->mask));
    for (Way& way : ways_)
      if (way.from == item) {
        IRBuilder<> leave(way.block->getTerminator());
        way.mask = item->exit ? item->mask : both(leave, item->mask, way.mask);
      }
  }
}

void Region::blend() {
  for (Taken& taken : taken_) {
    taken.place->replaceAllUsesWith(blend(taken));
    taken.place->eraseFromParent();
  }
}

// Where one condition chooses for all lanes, what goes with the lanes on each way still does.
Value* Region::blend(const Taken& phi) {
  BasicBlock* at = phi.place->getParent();
  SmallVector<std::pair<Way*, Value*>, 4> defined;
  for (auto& [way, value] : phi.values)
    if (!isa<UndefValue>(value)) defined.push_back({way, value});
  Value* nothing = PoisonValue::get(phi.place->getType());
  if (defined.empty()) return nothing;
  IRBuilder<> b(at, at->getFirstInsertionPt());
  const int side = defined[0].first->side;
  const bool two = defined.size() == 2 && side >= 0 && side == 1 - defined[1].first->side;
  for (unsigned k = 0; two && k < 2; ++k)
    if (Value* v = blend_behind_guard(at, *defined[k].first, defined[k].second, defined[1 - k].second)) return v;
  Value* result = available(defined.back().second, at, nothing);
  if (all_of(defined, [&](auto& entry) { return entry.second == defined[0].second; })) return result;
  if (two) {
    Value* other = available(defined[0].second, at, nothing);
    return side == 0 ? b.CreateSelect(condition_, other, result) : b.CreateSelect(condition_, result, other);
  }
  for (auto& [way, value] : drop_end(defined)) {
    Value* taken = available(way->mask, at, b.getFalse());
    if (phi.one_way) taken = emit_collective(b, kAny, taken);
    result = b.CreateSelect(taken, available(value, at, nothing), result);
  }
  return result;
}

/// Where a lane takes `value` from an item behind a guard and the others keep what there was before: blended behind the
/// guard too. A blend at the join would read a register that nobody wrote where the item was skipped, and so wait for
/// whatever did write it, which in a loop is the turn before.
Value* Region::blend_behind_guard(BasicBlock* at, const Way& way, Value* value, Value* other) {
  const bool guarded =
      way.from && way.from->exit && cast<BranchInst>(way.from->guard->getTerminator())->isConditional();
  if (!guarded || !is_inside(value) || is_inside(other)) return nullptr;
  IRBuilder<> b(way.from->last->block->getTerminator());
  Value* blended = way.side == 0 ? b.CreateSelect(condition_, value, other) : b.CreateSelect(condition_, other, value);
  return available(blended, at, other);
}

bool Region::is_inside(Value* value) const {
  auto* i = dyn_cast<Instruction>(value);
  return i && any_of(layout_, [&](Item* item) {
           return item->guard == i->getParent() || item_of_.lookup(graph_.node_of(i->getParent())) == item;
         });
}

/// `value` where the items between its definition and `at` may have been skipped.
Value* Region::available(Value* value, BasicBlock* at, Value* otherwise) {
  auto* i = dyn_cast<Instruction>(value);
  if (!i || i->getParent() == branch_.block || i->getParent() == at || !is_inside(i)) return value;
  SSAUpdater updater;
  updater.Initialize(value->getType(), value->getName());
  updater.AddAvailableValue(branch_.block, otherwise);
  updater.AddAvailableValue(i->getParent(), value);
  return updater.GetValueInMiddleOfBlock(at);
}

bool is_slow(const Instruction& i) {
  if (auto* call = dyn_cast<CallInst>(&i)) return is_lane_function(*call) || call->getIntrinsicID() == Intrinsic::sqrt;
  return i.getOpcode() == Instruction::FDiv;
}

// Of a private array, at an index that may lie outside of it where no lane is active: where lanes use one index, all of
// them load a vector (transpose_private()).
bool is_private_element(const Value& address) {
  const Value* at = &address;
  bool varies = false;
  while (auto* step = dyn_cast<GEPOperator>(at)) {
    varies |= !step->hasAllConstantIndices();
    at = step->getPointerOperand();
  }
  return varies && isa<AllocaInst>(at);
}

// Loads and stores can be masked where lanes have addresses of their own, and branches at which lanes part are masks;
// loops, other branches, and what has any other effect, wants an active lane. So do accesses behind `i < n`: where no
// memory is, one without an active lane takes some 1000 cycles (Zen 4); shared memory is there.
bool Region::needs_guard(const Item& item) const {
  unsigned size = 0;
  const bool is_bounded = bounds_index(condition_, whole_.shapes);
  const auto brought_to = [&](const Value& v, SmallVectorImpl<const Value*>& values) {
    const auto taken = find_if(taken_, [&](const Taken& t) { return t.place == &v; });
    if (taken == taken_.end()) return false;
    for (const auto& [way, value] : taken->values)
      if (value) values.push_back(value);
    return true;
  };
  for (Node* node : item.nodes) {
    if (node->loop) return true;
    if (node != item.last && node->successors.size() > 1 && !whole_.is_divergent(*node)) return true;
    for (Instruction& i : *node->block) {
      if (i.isTerminator() || isa<PHINode>(i)) continue;
      const Value* address = getLoadStorePointerOperand(&i);
      if (address && !i.hasMetadata(kInside) && may_turn_uniform(*address, whole_.shapes, brought_to)) return true;
      if (address && is_bounded && !is_shared_memory(getUnderlyingObject(address))) return true;
      if (address && is_private_element(*address)) return true;
      auto* call = dyn_cast<CallInst>(&i);
      if (call && (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration())) return true;
      if (!address && (i.mayReadOrWriteMemory() || i.mayHaveSideEffects())) return true;
      if (i.isIntDivRem()) return true;
      size += address || is_slow(i) ? kSlow : 1;
      if (call) size += noted_steps(*call);
    }
  }
  return size > kWorthTest;
}

}  // namespace

void linearise(Function& function, const GroupShape& group) { Linearise(function, group).run(); }

}  // namespace lanza::compiler
