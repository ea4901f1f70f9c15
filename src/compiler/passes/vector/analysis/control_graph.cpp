#include "compiler/passes/vector/analysis/control_graph.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

using namespace llvm;

namespace lanza::compiler {

using Node = ControlGraph::Node;

namespace {

/// The common ancestor in a tree of dominators; `up` leads to the root, against which positions go one way.
template <typename Up, typename Before>
Node* common(Node* a, Node* b, Up up, Before before) {
  while (a != b) {
    if (!a || !b) return nullptr;
    (before(a, b) ? b : a) = up(before(a, b) ? b : a);
  }
  return a;
}

Node* common_dominator(Node* a, Node* b) {
  return common(a, b, [](Node* n) { return n->dominator; }, [](Node* x, Node* y) { return x->position < y->position; });
}

Node* common_post_dominator(Node* a, Node* b) {
  return common(
      a, b, [](Node* n) { return n->post_dominator; }, [](Node* x, Node* y) { return x->position > y->position; });
}

}  // namespace

ControlGraph::ControlGraph(Function& function, LoopInfo& loops, Loop* loop) {
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
    Loop* inner = loops.getLoopFor(block);
    if (loop && !loop->contains(block)) continue;
    while (inner != loop && inner->getParentLoop() != loop) inner = inner->getParentLoop();
    if (inner != loop && inner->getHeader() != block) {
      by_block_[block] = by_block_.lookup(inner->getHeader());
      continue;
    }
    Node& node = nodes_.emplace_back();
    node.block = block;
    node.loop = inner == loop ? nullptr : inner;
    node.position = static_cast<double>(nodes_.size());
    by_block_[block] = &node;
  }
  end_.position = static_cast<double>(nodes_.size() + 1);
  connect(loop);
  for (Node& node : nodes_)
    for (Node* p : node.predecessors) node.dominator = node.dominator ? common_dominator(node.dominator, p) : p;
  for (Node& node : reverse(nodes_))
    for (Node* s : node.successors)
      node.post_dominator = node.post_dominator ? common_post_dominator(node.post_dominator, s) : s;
  for (Node* p : end_.predecessors) end_.dominator = end_.dominator ? common_dominator(end_.dominator, p) : p;
}

void ControlGraph::connect(Loop* loop) {
  auto add = [](Node* from, Node* to) {
    if (is_contained(from->successors, to)) return;
    from->successors.push_back(to);
    to->predecessors.push_back(from);
  };
  for (Node& node : nodes_) {
    SmallVector<BasicBlock*, 4> exits;
    if (node.loop)
      node.loop->getUniqueExitBlocks(exits);
    else
      exits.assign(succ_begin(node.block), succ_end(node.block));
    for (BasicBlock* next : exits)
      if (Node* to = by_block_.lookup(next); to && !(loop && next == loop->getHeader())) add(&node, to);
    if (node.successors.empty()) add(&node, &end_);
  }
}

bool ControlGraph::dominates(const Node* a, const Node* b) {
  while (b && b->position > a->position) b = b->dominator;
  return a == b;
}

bool ControlGraph::post_dominates(const Node* a, const Node* b) {
  while (b && b->position < a->position) b = b->post_dominator;
  return a == b;
}

SmallVector<Node*, 8> ControlGraph::between(Node* from) {
  SmallPtrSet<Node*, 16> seen;
  SmallVector<Node*, 8> work(from->successors.begin(), from->successors.end()), found;
  while (!work.empty()) {
    Node* node = work.pop_back_val();
    if (node == from->post_dominator || !seen.insert(node).second) continue;
    found.push_back(node);
    append_range(work, node->successors);
  }
  sort(found, [](Node* a, Node* b) { return a->position < b->position; });
  return found;
}

bool ControlGraph::encloses(Node& branch) {
  return all_of(between(&branch), [&](Node* n) { return dominates(&branch, n); });
}

bool ControlGraph::has_sides_apart(const Node& branch, ArrayRef<Node*> between) {
  return all_of(between, [&](Node* n) {
    return any_of(branch.successors, [&](Node* side) { return side->predecessors.size() == 1 && dominates(side, n); });
  });
}

Node* ControlGraph::split(ArrayRef<Node*> from, Node* to, BasicBlock* block) {
  Node& node = nodes_.emplace_back();
  node.block = block;
  by_block_[block] = &node;
  double before = 0;
  for (Node* p : to->predecessors) before = std::max(before, p->position);
  node.position = (before + to->position) / 2;
  node.successors = {to};
  node.post_dominator = to;
  for (Node* p : from) {
    std::replace(p->successors.begin(), p->successors.end(), to, &node);
    erase(to->predecessors, p);
    node.predecessors.push_back(p);
    node.dominator = node.dominator ? common_dominator(node.dominator, p) : p;
  }
  to->predecessors.push_back(&node);
  to->dominator = nullptr;
  for (Node* p : to->predecessors) to->dominator = to->dominator ? common_dominator(to->dominator, p) : p;
  // What had to pass `to`, and reaches it through the new node only, now has to pass that first.
  SmallVector<Node*, 16> before_it;
  for (Node& n : nodes_)
    if (n.post_dominator == to && &n != &node) before_it.push_back(&n);
  sort(before_it, [](Node* a, Node* b) { return a->position > b->position; });
  for (Node* n : before_it)
    if (all_of(n->successors, [&](Node* s) { return post_dominates(&node, s); })) n->post_dominator = &node;
  return &node;
}

}  // namespace lanza::compiler
