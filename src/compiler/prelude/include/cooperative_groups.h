// Cooperative groups: the threads of a block, a tile, a branch or a grid as an object. What each collective does and in
// which order it combines values is as in CUDA 13, so that floats agree bit for bit.
#pragma once
#include <__lanza/groups/coalesced.h>
#include <__lanza/groups/grid.h>
#include <__lanza/groups/groups.h>
#include <__lanza/groups/invoke.h>
#include <__lanza/groups/lanes.h>
#include <__lanza/groups/partition.h>
#include <__lanza/groups/tile.h>
#include <__lanza/groups/wide_tile.h>
