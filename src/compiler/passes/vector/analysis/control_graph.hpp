// The control flow of one loop's body, or of a function, without back edges: inner loops are single nodes.
#pragma once

#include <deque>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>

namespace lanza::compiler {

/// In: reducible control flow, loops in simplified form, each with one exit block; one return. Edges out of the loop
/// are left out, as if it ended only at its latch: so every node reaches end(), and the graph has one entry.
class ControlGraph {
 public:
  struct Node {
    llvm::BasicBlock* block = nullptr;  ///< null: the end
    llvm::Loop* loop = nullptr;         ///< a whole loop, whose header is `block`
    llvm::SmallVector<Node*, 2> successors, predecessors;
    Node *dominator = nullptr, *post_dominator = nullptr;  ///< immediate
    double position = 0;                                   ///< a topological order
  };

  /// `loop` null: the function.
  ControlGraph(llvm::Function& function, llvm::LoopInfo& loops, llvm::Loop* loop);

  Node* entry() { return &nodes_.front(); }
  Node* end() { return &end_; }
  Node* node_of(llvm::BasicBlock* block) { return by_block_.lookup(block); }
  static bool dominates(const Node* a, const Node* b);
  static bool post_dominates(const Node* a, const Node* b);
  /// The nodes strictly between `from` and its post-dominator, in topological order.
  static llvm::SmallVector<Node*, 8> between(Node* from);
  /// What lies between the branch and where its ways meet is reached through it alone.
  static bool encloses(Node& branch);
  /// What lies on one side of a branch, among the nodes between, is reached by no way through another.
  static bool has_sides_apart(const Node& branch, llvm::ArrayRef<Node*> between);
  /// Gives the edges from the nodes `from` to `to` a block of their own, `block`, which already is in the function.
  Node* split(llvm::ArrayRef<Node*> from, Node* to, llvm::BasicBlock* block);

 private:
  void connect(llvm::Loop* loop);

  std::deque<Node> nodes_;  ///< in topological order but for what split() adds
  Node end_;
  llvm::DenseMap<llvm::BasicBlock*, Node*> by_block_;
};

}  // namespace lanza::compiler
