#include "compiler/passes/vector/scalars/store_words.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int64_t kWord = 4, kShort = 2;

/// A store of some bytes behind a pointer.
struct Part {
  StoreInst* store;
  Value* base;
  int64_t at;
  int64_t size;
};

/// Stores with no other access between them.
using Parts = SmallVector<Part, 8>;

class WordStores {
 public:
  WordStores(Function& kernel, const GroupShape& group)
      : kernel_(kernel), layout_(kernel.getDataLayout()), shapes_(kernel, group) {}

  bool run() {
    if (!layout_.isLittleEndian()) return false;
    for (BasicBlock& block : kernel_) {
      Parts row;
      for (Instruction& i : block) {
        auto* store = dyn_cast<StoreInst>(&i);
        if (store && is_part(*store)) {
          int64_t at = 0;
          Value* base = GetPointerBaseWithConstantOffset(store->getPointerOperand(), at, layout_);
          const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(store->getValueOperand()->getType()));
          row.push_back({store, base, at, size});
        } else if (i.mayReadOrWriteMemory()) {
          collect(row);
          row.clear();
        }
      }
      collect(row);
    }
    for (const Parts& word : words_) join(word);
    return !words_.empty();
  }

 private:
  bool is_part(const StoreInst& store) const {
    Type* type = store.getValueOperand()->getType();
    const bool is_short = type->isIntegerTy(8) || type->isIntegerTy(16) || type->isHalfTy() || type->isBFloatTy();
    return is_short && store.isSimple() && shapes_[store.getPointerOperand()].is_varying() &&
           !isa<AllocaInst>(getUnderlyingObject(store.getPointerOperand()));
  }

  // From the beginning on, as many as fill a word, in order.
  void collect(ArrayRef<Part> row) {
    while (row.size() > 1) {
      size_t taken = filled(row, kWord);
      if (taken == 0) taken = filled(row, kShort);
      if (taken != 0) words_.emplace_back(row.begin(), row.begin() + taken);
      row = row.drop_front(std::max<size_t>(taken, 1));
    }
  }

  // How many of the first stores fill an aligned word of `size`; 0: they do not.
  static size_t filled(ArrayRef<Part> row, int64_t size) {
    const Part& first = row.front();
    if (first.store->getAlign() < Align(static_cast<uint64_t>(size))) return 0;
    int64_t end = first.at;
    for (size_t n = 0; n < row.size() && end < first.at + size; ++n) {
      if (row[n].base != first.base || row[n].at != end) return 0;
      end += row[n].size;
      if (end == first.at + size) return n == 0 ? 0 : n + 1;
    }
    return 0;
  }

  static void join(const Parts& word) {
    const Part &first = word.front(), &last = word.back();
    IRBuilder<> b(last.store);
    const int64_t size = last.at + last.size - first.at;
    Type* type = b.getIntNTy(static_cast<unsigned>(size * 8));
    Value* whole = nullptr;
    for (const Part& part : word) {
      Value* bits = b.CreateBitCast(part.store->getValueOperand(), b.getIntNTy(static_cast<unsigned>(part.size * 8)));
      bits = b.CreateZExt(bits, type);
      whole = whole ? b.CreateOr(whole, b.CreateShl(bits, static_cast<uint64_t>((part.at - first.at) * 8))) : bits;
    }
    StoreInst* store =
        b.CreateAlignedStore(whole, first.store->getPointerOperand(), Align(static_cast<uint64_t>(size)));
    store->setMetadata(kAtEdge, first.store->getMetadata(kAtEdge));
    for (const Part& part : word) part.store->eraseFromParent();
  }

  Function& kernel_;
  const DataLayout& layout_;
  const Shapes shapes_;
  SmallVector<Parts, 16> words_;
};

}  // namespace

bool store_whole_words(Function& kernel, const GroupShape& group) {
  return group.lanes > 1 && WordStores(kernel, group).run();
}

}  // namespace lanza::compiler
