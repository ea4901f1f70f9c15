// Which threads of a block are the lanes of one group: what one call of widened code runs.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <llvm/Support/MathExtras.h>

namespace lanza::compiler {

/// A group covers `extent` threads along each axis, x fastest, and begins at multiples of it. Lanes whose thread lies
/// beyond the block are masked. With `whole_rows` consecutive blocks of the grid's x are one long block: its x counts
/// from a multiple of `lanes` at or below the first block's start, and its ends are masked. What a group calls x may be
/// another axis of the launch, see turn_axes.hpp.
struct GroupShape {
  unsigned lanes = 1;
  std::array<unsigned, 3> block{};  ///< blockDim; 0 in the form of one lane: not known
  std::array<unsigned, 3> extent{1, 1, 1};
  bool whole_rows = false;
  unsigned blocks = 1;     ///< of the grid's x, side by side: `block` is of all of them, see pair_blocks.hpp
  unsigned lane_axis = 0;  ///< of the launch: this axis and x have changed places

  /// `lanes` consecutive x of one row; or, where a row is shorter and a power of two, several rows of one layer; as
  /// many as a warp has, of several layers where these are shorter, too.
  static GroupShape of(unsigned lanes, std::array<unsigned, 3> block) {
    GroupShape shape{lanes, block, {lanes, 1, 1}};
    if (block[0] != 0 && block[0] < lanes && llvm::isPowerOf2_32(block[0]))
      shape.extent = {block[0], lanes / block[0], 1};
    if (lanes == 32 && block[2] > 1 && block[1] < shape.extent[1] && llvm::isPowerOf2_32(block[1]))
      shape.extent = {block[0], block[1], shape.extent[1] / block[1]};
    return shape;
  }

  /// The same threads with x and `axis` in each other's place.
  GroupShape turned(unsigned axis) const {
    std::array<unsigned, 3> size = block;
    std::swap(size[0], size[axis]);
    GroupShape shape = of(lanes, size);
    shape.lane_axis = axis;
    return shape;
  }

  GroupShape with_lanes(unsigned count) const {
    GroupShape shape = of(count, block);
    shape.lane_axis = lane_axis;
    return shape;
  }

  static GroupShape of_rows(unsigned lanes, std::array<unsigned, 3> block) {
    return {lanes, block, {lanes, 1, 1}, true};
  }

  /// All threads of a block as one group: to ask what is the same for all of them.
  static GroupShape whole_block(std::array<unsigned, 3> block) {
    return {block[0] * block[1] * block[2], block, block, false};
  }

  /// The axis of the launch that is the group's `axis`, and the other way round.
  unsigned launched(unsigned axis) const { return axis == 0 ? lane_axis : axis == lane_axis ? 0 : axis; }
  /// blockDim of the launch; where fold_rows.hpp has folded it, as folded.
  std::array<unsigned, 3> launched_block() const {
    return {block[launched(0)] / blocks, block[launched(1)], block[launched(2)]};
  }

  unsigned rows() const { return extent[1]; }
  /// One row of a group of several: what its lanes have is as regular or more.
  GroupShape one_row() const { return {extent[0], block, {extent[0], 1, 1}, whole_rows}; }
  /// Groups along an axis.
  unsigned groups(unsigned axis) const { return (block[axis] + extent[axis] - 1) / extent[axis]; }
  /// True when groups at the ends of the axis have lanes beyond the block.
  bool overhangs(unsigned axis) const { return lanes > 1 && block[axis] % extent[axis] != 0; }
  /// Where a lane's thread stands on the axis, counted from the group's lane 0.
  unsigned offset(unsigned axis, unsigned lane) const {
    const unsigned below = axis == 0 ? 1 : axis == 1 ? extent[0] : extent[0] * extent[1];
    return lane / below % extent[axis];
  }
  /// Which lane of its group the block's thread with that number is, x fastest; not of whole rows.
  unsigned lane_of(unsigned thread) const {
    const unsigned x = thread % block[0], y = thread / block[0] % block[1], z = thread / block[0] / block[1];
    return x % extent[0] + extent[0] * (y % extent[1] + extent[1] * (z % extent[2]));
  }
  /// True when lane 0's index on the axis is 0 in every group.
  bool starts_at_zero(unsigned axis) const {
    return lanes > 1 && extent[axis] >= block[axis] && !(axis == 0 && whole_rows);
  }
  /// True when the lanes of a group that are in the block are consecutive threads of one warp, in order.
  bool is_part_of_warp() const {
    if (whole_rows || lane_axis != 0) return false;
    if (extent == block) return lanes <= 32;
    const bool rows_fill = block[0] % extent[0] == 0 || block[1] * block[2] == 1;
    const bool layers_fill = extent[1] == 1 || block[1] % extent[1] == 0 || block[2] == 1;
    return 32 % lanes == 0 && rows_fill && layers_fill;
  }
  /// True when each group is a whole warp, lane by lane.
  bool is_warp() const { return lanes == 32 && is_part_of_warp(); }
};

}  // namespace lanza::compiler
