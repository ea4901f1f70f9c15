#include "compiler/passes/vector/scalars/whole_words.hpp"

#include <map>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int64_t kWord = 4;

/// A load of a part of a word, some bytes from a pointer that others go out from, too.
struct Part {
  LoadInst* load;
  int64_t at;
  int64_t size;
};

/// The loads from one pointer since memory was last written.
using Parts = SmallVector<Part, 8>;

class WordLoads {
 public:
  WordLoads(Function& kernel, const GroupShape& group)
      : kernel_(kernel), layout_(kernel.getDataLayout()), shapes_(kernel, group) {}

  bool run() {
    if (!layout_.isLittleEndian()) return false;
    for (BasicBlock& block : kernel_) {
      MapVector<Value*, Parts> from;
      auto end = [&] {
        for (auto& [base, parts] : from) collect(parts);
        from.clear();
      };
      for (Instruction& i : block) {
        if (auto* load = dyn_cast<LoadInst>(&i); load && is_part(*load)) {
          int64_t at = 0;
          Value* base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), at, layout_);
          from[base].push_back({load, at, static_cast<int64_t>(layout_.getTypeStoreSize(load->getType()))});
        }
        if (i.mayWriteToMemory()) end();
      }
      end();
    }
    for (const Parts& word : words_) join(word);
    return !words_.empty();
  }

 private:
  bool is_part(const LoadInst& load) const {
    Type* type = load.getType();
    const bool is_short = type->isIntegerTy(8) || type->isIntegerTy(16) || type->isHalfTy() || type->isBFloatTy();
    return is_short && load.isSimple() && shapes_[load.getPointerOperand()].is_varying() &&
           !isa<AllocaInst>(getUnderlyingObject(load.getPointerOperand()));
  }

  // Words begin a multiple of their size from what is known to be aligned.
  void collect(const Parts& parts) {
    auto* aligned = find_if(parts, [](const Part& p) { return p.load->getAlign() >= Align(kWord); });
    if (aligned == parts.end()) return;
    std::map<int64_t, Parts> words;
    for (const Part& part : parts) {
      const int64_t from = part.at - aligned->at, begin = from - ((from % kWord) + kWord) % kWord;
      if (from + part.size <= begin + kWord) words[begin].push_back({part.load, from - begin, part.size});
    }
    for (const auto& [begin, word] : words)
      if (is_worth_it(word)) words_.push_back(word);
  }

  // Nothing is touched behind the end of shared memory; what an argument points to ends with no part of a word.
  static bool is_worth_it(const Parts& word) {
    unsigned covered = 0;
    for (const Part& part : word) covered |= ((1U << part.size) - 1) << part.at;
    const bool may_read_more = isa<Argument>(getUnderlyingObject(word.front().load->getPointerOperand()));
    return word.size() > 1 && popcount(covered) > 1 && (covered == (1U << kWord) - 1 || may_read_more);
  }

  static void join(const Parts& word) {
    const Part& first = word.front();
    IRBuilder<> b(first.load);
    Value* address = first.load->getPointerOperand();
    if (first.at != 0) address = b.CreateGEP(b.getInt8Ty(), address, b.getInt64(-first.at));
    LoadInst* whole = b.CreateAlignedLoad(b.getInt32Ty(), address, Align(kWord));
    whole->setMetadata(kAtEdge, first.load->getMetadata(kAtEdge));
    for (const Part& part : word) {
      b.SetInsertPoint(part.load);
      Value* bits = b.CreateTrunc(b.CreateLShr(whole, part.at * 8), b.getIntNTy(part.size * 8));
      part.load->replaceAllUsesWith(b.CreateBitCast(bits, part.load->getType()));
      part.load->eraseFromParent();
    }
  }

  Function& kernel_;
  const DataLayout& layout_;
  const Shapes shapes_;
  SmallVector<Parts, 16> words_;
};

}  // namespace

bool load_whole_words(Function& kernel, const GroupShape& group) {
  return group.lanes > 1 && WordLoads(kernel, group).run();
}

}  // namespace lanza::compiler
