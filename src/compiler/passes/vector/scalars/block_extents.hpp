// What a block of threads reads and writes, from its first byte to its last, and whether that lies apart.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "compiler/passes/vector/scalars/kernel_part.hpp"
#include "compiler/passes/vector/scalars/thread_sums.hpp"

namespace lanza::compiler {

/// Of accesses at sums of shared values times numbers of the thread (ThreadSums), behind parameters of the kernel. What
/// threads do not come to counts as well.
class BlockExtents {
 public:
  BlockExtents(const KernelPart& part, SharedValues& shared) : part_(part), shared_(shared) {}

  /// False: an access is of another kind. `__restrict__` and constants keep reads and writes apart without a question.
  bool find(llvm::ArrayRef<llvm::Instruction*> reads, llvm::ArrayRef<llvm::Instruction*> writes);

  /// Whether all that may be written is also read by a block beside; true where nothing is to be asked.
  bool have_halos() const;

  /// `all`, and that no read may meet a write.
  llvm::Value* ask_apart(SharedProducts& products, llvm::Value* all) const;

 private:
  using Product = ThreadSums::Product;
  using Factors = std::map<Product, int64_t>;
  /// Of one instruction, or more.
  struct Extent {
    const llvm::Value* base;
    uint64_t size;
    Factors least, greatest;
  };

  bool add(llvm::Instruction& access, std::vector<Extent>& extents);
  static bool join(Extent& known, const Extent& other);
  bool has_halo(const Extent& extent, const Product& product, int64_t step) const;
  static std::pair<llvm::Value*, llvm::Value*> ends(const Extent& extent, SharedProducts& products);

  const KernelPart& part_;
  SharedValues& shared_;
  std::vector<Extent> reads_, writes_;
};

}  // namespace lanza::compiler
