// Cooperative groups: the threads of a block, a tile, a branch or a grid as an object. What each collective does and in
// which order it combines values is as in CUDA 13, so that floats agree bit for bit.
#pragma once
#include <cooperative_groups/coalesced.h>
#include <cooperative_groups/grid.h>
#include <cooperative_groups/groups.h>
#include <cooperative_groups/invoke.h>
#include <cooperative_groups/lanes.h>
#include <cooperative_groups/partition.h>
#include <cooperative_groups/tile.h>
#include <cooperative_groups/wide_tile.h>
