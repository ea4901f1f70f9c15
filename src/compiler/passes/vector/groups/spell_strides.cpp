#include "compiler/passes/vector/groups/spell_strides.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/groups/index_spans.hpp"
#include "compiler/passes/vector/groups/more_arguments.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastStrides = 3;

using Strides = SmallVector<Value*, 8>;

std::optional<StrideQuotient::Number> number_of(Value* stride) {
  if (!stride->getType()->isIntegerTy(32)) return {};
  while (isa<FreezeInst>(stride)) stride = cast<FreezeInst>(stride)->getOperand(0);
  if (auto* argument = dyn_cast<Argument>(stride)) return StrideQuotient::Number{argument->getArgNo(), 0};
  const auto member = loaded_member(*stride);
  if (!member) return {};
  return StrideQuotient::Number{member->parameter->getArgNo(), member->offset};
}

/// Which stride follows on which: what is left of an index by the one is divided by the other.
class StrideSearch {
 public:
  explicit StrideSearch(Function& kernel) {
    DenseMap<Value*, Value*> left;  // by which stride
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel))
      for (Instruction& i : *block) {
        const auto division = as_index_division(i);
        if (!division || isa<Constant>(division->divisor) || !number_of(division->divisor)) continue;
        Value *stride = division->divisor, *before = left.lookup(i.getOperand(0));
        if (before && before != stride) follow(before, stride);
        divisions_[stride].push_back(&i);
        if (division->is_remainder) left[&i] = stride;
      }
  }

  /// From the longest to the shortest; empty: there are too few.
  Strides find() const {
    for (auto& [first, divisions] : divisions_) {
      Strides strides{first};
      while (Value* next = is_followed_.contains(first) ? nullptr : next_.lookup(strides.back())) {
        if (is_contained(strides, next)) return {};
        strides.push_back(next);
      }
      if (strides.size() >= kLeastStrides) return strides;
    }
    return {};
  }

  ArrayRef<Instruction*> divisions(Value* by) const { return divisions_.find(by)->second; }

 private:
  void follow(Value* before, Value* stride) {
    auto [found, is_new] = next_.try_emplace(before, stride);
    if (!is_new && found->second != stride) found->second = nullptr;  // two of them
    is_followed_.insert(stride);
  }

  MapVector<Value*, SmallVector<Instruction*, 4>> divisions_;
  DenseMap<Value*, Value*> next_;
  SmallPtrSet<Value*, 8> is_followed_;
};

// Made of arguments and their members.
Value* clone_at(IRBuilder<>& b, Value* v) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i) return v;
  Instruction* copied = i->clone();
  for (Use& operand : copied->operands()) operand.set(clone_at(b, operand));
  return b.Insert(copied);
}

}  // namespace

Function* spell_strides(Function& kernel, StrideQuotients& quotients) {
  const StrideSearch search(kernel);
  const Strides strides = search.find();
  if (strides.empty()) return &kernel;
  auto is_narrow = [](Instruction* division) { return division->getType()->isIntegerTy(32); };
  for (Value* stride : strides)
    if (!all_of(search.divisions(stride), is_narrow)) return &kernel;
  for (unsigned k = 0; k + 1 < strides.size(); ++k)
    quotients.push_back({*number_of(strides[k]), *number_of(strides[k + 1])});
  const auto own = static_cast<unsigned>(kernel.arg_size());
  Function* spelled = with_more_arguments(kernel, static_cast<unsigned>(quotients.size()));
  IRBuilder<> b(&*spelled->getEntryBlock().getFirstInsertionPt());
  Value* product = clone_at(b, strides.back());
  for (unsigned k = static_cast<unsigned>(quotients.size()); k-- > 0;) {
    product = b.CreateNSWMul(product, spelled->getArg(own + k));
    for (Instruction* division : search.divisions(strides[k])) division->setOperand(1, product);
  }
  kernel.eraseFromParent();
  return spelled;
}

}  // namespace lanza::compiler
