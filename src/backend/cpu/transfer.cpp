// Copies and fills in memory. A large one is a grid whose blocks are pieces of it, so that helpers are shared with
// kernels.
#include "backend/cpu/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/helpers.hpp"

namespace lanza::executor {
namespace {

// A worker takes many pieces at a time.
constexpr std::size_t piece = std::size_t{64} << 10;
// Below, one core is as fast (measured on two): it costs helpers that sleep some 50 us to come.
constexpr std::size_t shared_from = std::size_t{1} << 20, shared_from_asleep = std::size_t{8} << 20;

struct Transfer {
  char* destination;
  const char* source;  // or the value of a fill
  std::size_t bytes, size;
};

void fill_here(void* destination, const void* value, std::size_t size, std::size_t count) {
  auto* bytes = static_cast<unsigned char*>(destination);
  unsigned char first;
  std::memcpy(&first, value, 1);
  bool uniform = true;
  for (std::size_t i = 1; i < size; ++i) uniform &= static_cast<const unsigned char*>(value)[i] == first;
  const std::size_t total = size * count;
  if (uniform) {
    std::memset(destination, first, total);
    return;
  }
  // Doubling copies within one block of the first-level cache, then that block over the rest.
  constexpr std::size_t block = 4096;
  std::size_t done = size < total ? size : total;
  std::memcpy(bytes, value, done);
  while (done < total) {
    std::size_t next = done < block ? done : block;
    if (next > total - done) next = total - done;
    std::memcpy(bytes + done, bytes, next);
    done += next;
  }
}

// The part of a transfer that the blocks [next, end) stand for.
template <auto Move>
std::int32_t run_pieces(const LanzaLaunch*, const void* arguments, LanzaBlock* block) {
  const auto& transfer = *static_cast<const Transfer*>(arguments);
  const std::size_t first = block->next * piece, last = std::min(block->end * piece, transfer.bytes);
  Move(transfer, first, last - first);
  block->next = block->end;
  return LANZA_DONE;
}

template <auto Move>
constexpr LanzaKernelObject pieces{LANZA_KERNEL_ABI, LANZA_KERNEL_RANGES, run_pieces<Move>, 0, {0, 0, 0}, 1, 0, ""};

void copy_piece(const Transfer& t, std::size_t offset, std::size_t bytes) {
  std::memcpy(t.destination + offset, t.source + offset, bytes);
}

// Pieces begin at a multiple of every size.
void fill_piece(const Transfer& t, std::size_t offset, std::size_t bytes) {
  fill_here(t.destination + offset, t.source, t.size, bytes / t.size);
}

// False: not done, it is better done here.
bool done_by_all(const LanzaKernelObject& object, const Transfer& transfer) {
  if (worker_count() < 2 || transfer.bytes < (awake_helpers() ? shared_from : shared_from_asleep)) return false;
  const std::size_t count = (transfer.bytes + piece - 1) / piece;
  if (count > UINT32_MAX) return false;
  LanzaLaunch launch{};
  launch.grid[0] = static_cast<std::uint32_t>(count);
  launch.grid[1] = launch.grid[2] = launch.block[0] = launch.block[1] = launch.block[2] = 1;
  try {
    return std::make_shared<GridRun>(launch, object, &transfer, false)->lead();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

void copy_memory(void* destination, const void* source, std::size_t bytes) {
  if (bytes == 0) return;  // the addresses may be null then, which memmove does not allow
  const Transfer transfer{static_cast<char*>(destination), static_cast<const char*>(source), bytes, 1};
  const auto to = reinterpret_cast<std::uintptr_t>(destination), from = reinterpret_cast<std::uintptr_t>(source);
  const bool overlap = to - from < bytes || from - to < bytes;
  if (overlap || !done_by_all(pieces<copy_piece>, transfer)) std::memmove(destination, source, bytes);
}

void fill_memory(void* destination, const void* value, std::size_t size, std::size_t count) {
  const Transfer transfer{static_cast<char*>(destination), static_cast<const char*>(value), size * count, size};
  if (!done_by_all(pieces<fill_piece>, transfer)) fill_here(destination, value, size, count);
}

}  // namespace lanza::executor
