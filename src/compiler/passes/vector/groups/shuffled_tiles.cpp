#include "compiler/passes/vector/groups/shuffled_tiles.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kElement = 32;  // bits
static constexpr unsigned kMany = 16;     // accesses

static bool is_in_pattern(Instruction& i, const Shapes& shapes, const DataLayout& layout) {
  const Value* address = getLoadStorePointerOperand(&i);
  if (!address || !is_shared_memory(address)) return false;
  const Shape shape = shapes[address];
  const auto size = static_cast<int64_t>(layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue());
  return shape.is_varying() || (shape.is_strided() && std::abs(shape.stride) != size);
}

GroupShape fit_shuffled_tiles(Function& kernel, const GroupShape& group, unsigned bits) {
  const unsigned lanes = bits / kElement;
  if (lanes == 0 || group.lanes != 2 * lanes || !has_sync(kernel)) return group;
  const Shapes shapes(kernel, group);
  const DataLayout& layout = kernel.getDataLayout();
  const auto in_pattern = [&](Instruction& i) { return is_in_pattern(i, shapes, layout); };
  const auto count = static_cast<unsigned>(count_if(instructions(kernel), in_pattern));
  return count >= kMany ? group.with_lanes(lanes) : group;
}

}  // namespace lanza::compiler
