#include "compiler/codegen/lane_choice.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSubtargetInfo.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/own_places.hpp"
#include "compiler/passes/vector/analysis/warp_meetings.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"

using namespace llvm;

namespace lanza::compiler {

// Of 32 bits they are one register with AVX-512, two with AVX2: more turns' work for each branch and each address.
// Long code is one there: 480 loads behind guards compile in 0.6 s for 1.35, and take 1.8 of the time to run. Each
// access of memory is several instructions in the end.
static constexpr unsigned kUsualLanes = 16, kLongKernel = 3000, kAccess = 4;

unsigned LaneChoice::usual() const {
  const auto accesses = count_if(instructions(kernel_), [](Instruction& i) { return i.mayReadOrWriteMemory(); });
  const bool is_long = kernel_.getInstructionCount() + kAccess * accesses > kLongKernel;
  return register_bits() == 0 || (register_bits() == 256 && is_long) ? kUsualLanes / 2 : kUsualLanes;
}

unsigned LaneChoice::wanted() const {
  if (request_.mode == LANZA_MODE_LANES) return 1;
  if (has_warp_operations(kernel_)) return 32;
  if (request_.lanes) return request_.lanes;
  if (block_size() > 8) return of_rows(usual());
  const bool by_blocks = !request_.wide && may_run_in_rows(kernel_, GroupShape::of(usual(), block_));
  if (by_blocks) return usual();  // mandelbrot<<<dim3(w, h), 1>>>
  return is_tiny_block(request_.block) ? 1 : 8;
}

// Between barriers a group of several short rows gathers what its threads' neighbours stored, half a dozen times as
// slow as one of a row. Sums in registers do enough with two halves of one that are loaded apart (379 us and 239).
unsigned LaneChoice::of_rows(unsigned most) const {
  const unsigned row = block_[0];
  if (block_size() == row || row % most == 0 || !has_sync(kernel_) || !reads_own_places(kernel_)) return most;
  if (row == 8) return register_bits() == 512 && sums_in_registers(kernel_) ? most : 8;
  return row % 8 == 0 ? 8 : row == 4 ? 4 : most;
}

bool LaneChoice::are_free(const GroupShape& group, bool has_warps) const {
  return group.lanes == kUsualLanes && !has_warps && !request_.lanes && request_.mode != LANZA_MODE_LANES;
}

GroupShape LaneChoice::beside_planes(const GroupShape& group) const {
  return register_bits() == 256 && group.lanes == kUsualLanes ? GroupShape::of(kUsualLanes / 2, group.block) : group;
}

unsigned LaneChoice::register_bits() const {
  const MCSubtargetInfo& cpu = *host_.getMCSubtargetInfo();
  if (cpu.checkFeatures("+avx512bw")) return 512;
  return cpu.checkFeatures("+avx2") && !cpu.checkFeatures("+avx512f") ? 256 : 0;
}

}  // namespace lanza::compiler
