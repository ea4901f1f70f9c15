#include "compiler/passes/vector/scalars/block_extents.hpp"

#include <algorithm>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr size_t kMostQuestions = 8;

// No write goes to where a `__restrict__` parameter is read, and to no constant.
static bool is_apart(const Instruction& access, ArrayRef<Instruction*> others) {
  const Value* object = object_of(getLoadStorePointerOperand(&access));
  if (auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isConstant();
  auto* from = dyn_cast<Argument>(object);
  return from && from->hasNoAliasAttr() &&
         none_of(others, [&](Instruction* i) { return object_of(getLoadStorePointerOperand(i)) == from; });
}

bool BlockExtents::find(ArrayRef<Instruction*> reads, ArrayRef<Instruction*> writes) {
  return all_of(reads, [&](Instruction* read) { return is_apart(*read, writes) || add(*read, reads_); }) &&
         all_of(writes, [&](Instruction* write) { return is_apart(*write, reads) || add(*write, writes_); }) &&
         reads_.size() * writes_.size() <= kMostQuestions;
}

bool BlockExtents::add(Instruction& access, std::vector<Extent>& extents) {
  Value* address = getLoadStorePointerOperand(&access);
  const Value* base = object_of(address);
  if (!isa<Argument>(base) || !part_.is_alone(*access.getParent())) return false;
  ThreadNumbers numbers(*access.getParent());
  ThreadSums sums(shared_, numbers);
  const auto offset = sums.offset(*address, *base);
  if (!offset || !numbers.can_run()) return false;
  Extent extent{base, access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getFixedValue(), {}, {}};
  const bool ran = numbers.run(part_.block, kMostTurnsOfCopy, [&] {
    for (const auto& [product, number] : *offset) {
      const auto factor = static_cast<int64_t>(numbers[number]);
      const auto [least, is_new] = extent.least.try_emplace(product, factor);
      least->second = std::min(least->second, factor);
      auto& greatest = extent.greatest.try_emplace(product, factor).first->second;
      greatest = std::max(greatest, factor);
    }
    return true;
  });
  if (!ran) return false;
  for (Extent& known : extents)
    if (join(known, extent)) return true;
  extents.push_back(std::move(extent));
  return true;
}

bool BlockExtents::join(Extent& known, const Extent& other) {
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (known.base != other.base || known.size != other.size || known.least.size() != other.least.size() ||
      !std::ranges::equal(known.least, other.least, same))
    return false;
  for (auto& [product, least] : known.least) least = std::min(least, other.least.at(product));
  for (auto& [product, greatest] : known.greatest) greatest = std::max(greatest, other.greatest.at(product));
  return true;
}

bool BlockExtents::have_halos() const {
  return writes_.empty() || all_of(reads_, [&](const Extent& extent) {
           return any_of(extent.least, [&](const auto& part) { return has_halo(extent, part.first, part.second); });
         });
}

// Along the axis of a blockIdx that is one of the product's: that times `step` is less than what the block reads.
bool BlockExtents::has_halo(const Extent& extent, const Product& product, int64_t step) const {
  for (size_t n = 0; n < product.size(); ++n) {
    auto* call = dyn_cast<IntrinsicInst>(shared_[product[n]].value);
    if (!call || !block_axis(call->getIntrinsicID())) continue;
    Product rest(product);
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(n));
    const auto least = extent.least.find(rest);
    if (least == extent.least.end()) continue;
    if (extent.greatest.at(rest) - least->second + static_cast<int64_t>(extent.size) > std::abs(step)) return true;
  }
  return false;
}

Value* BlockExtents::ask_apart(SharedProducts& products, Value* all) const {
  IRBuilder<>& b = products.builder();
  for (const Extent& read : reads_)
    for (const Extent& write : writes_) {
      const auto [read_first, read_end] = ends(read, products);
      const auto [write_first, write_end] = ends(write, products);
      all =
          b.CreateAnd(all, b.CreateOr(b.CreateICmpSLE(read_end, write_first), b.CreateICmpSLE(write_end, read_first)));
    }
  return all;
}

std::pair<Value*, Value*> BlockExtents::ends(const Extent& extent, SharedProducts& products) {
  IRBuilder<>& b = products.builder();
  Value *first = b.CreatePtrToInt(const_cast<Value*>(extent.base), b.getInt64Ty()), *end = first;
  end = b.CreateAdd(end, b.getInt64(extent.size));
  for (const auto& [product, least] : extent.least) {
    Value* shared = products.of(product);
    Value* of_least = b.CreateMul(shared, b.getInt64(static_cast<uint64_t>(least)));
    Value* of_greatest = b.CreateMul(shared, b.getInt64(static_cast<uint64_t>(extent.greatest.at(product))));
    first = b.CreateAdd(first, b.CreateBinaryIntrinsic(Intrinsic::smin, of_least, of_greatest));
    end = b.CreateAdd(end, b.CreateBinaryIntrinsic(Intrinsic::smax, of_least, of_greatest));
  }
  return {first, end};
}

}  // namespace lanza::compiler
