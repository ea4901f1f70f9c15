// Memory of the CPU device: bins by size, blocks of 128 KiB and more straight from the kernel.
#include "backend/cpu/allocator.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <lanza/error.hpp>

#include "support/cpu.hpp"

namespace lanza::executor {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t page = 4096;
constexpr std::size_t mapped_from = std::size_t{128} << 10;  // sizes from here are mapped, so that release returns them
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t checked_from = std::size_t{64} << 20;  // asking the system for its free memory takes some 30 us

// Processors compare the last twelve bits of addresses first: a load waits for a store before it that agrees in them.
// Were all blocks to begin with a page, y[i] = x[i - 1] + x[i + 1] would meet that at every vector (up to 3 times the
// time on an Intel Xeon, 1.1 on Zen 5). So each mapped block begins elsewhere in its first page, about half a page from
// its neighbours, whichever of them is written.
constexpr unsigned steps = page / alignment, steps_to_next = 7;

// Maps more and cuts off, so that the memory starts in the first page of a huge one. `turn` counts the blocks.
void* map(std::size_t size, unsigned turn) noexcept {
  const std::size_t align = size >= huge_page ? huge_page : page, mapped = size + page;
  void* raw = mmap(nullptr, mapped + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const auto first = (start + align - 1) & ~(align - 1);
  if (first > start) munmap(raw, first - start);
  if (const auto rest = start + align - first) munmap(reinterpret_cast<void*>(first + mapped), rest);
  if (size >= huge_page) madvise(reinterpret_cast<void*>(first), mapped, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(first + turn * steps_to_next % steps * alignment);
}

void unmap(void* memory, std::size_t size) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(memory) & ~(page - 1);
  munmap(reinterpret_cast<void*>(first), size + page);
}

void to_system(void* memory, std::size_t size) noexcept {
  if (size >= mapped_from) {
    unmap(memory, size);
  } else {
    std::free(memory);
  }
}

}  // namespace

Allocator::Allocator() : total_(host_memory().total), kept_(std::max(std::size_t{256} << 20, total_ / 8)) {}

Allocator::~Allocator() {
  for (auto& [size, blocks] : bins_) {
    for (auto& block : blocks) to_system(block.memory, size);
  }
}

std::size_t Allocator::rounded(std::size_t bytes) noexcept {
  std::size_t step = std::max(alignment, std::bit_floor(bytes) / 8);
  if (bytes >= mapped_from - mapped_from / 8) step = std::max(step, page);
  return (bytes + step - 1) & ~(step - 1);
}

void* Allocator::allocate(std::size_t bytes, const std::shared_ptr<Progress>& stream) {
  const bool absurd = bytes > total_;
  if (!absurd) {
    const std::size_t size = rounded(bytes);
    std::lock_guard lock(mutex_);
    if (void* memory = reuse(size, stream.get())) return memory;
    if (void* memory = from_system(size)) return memory;
  }
  const auto memory = host_memory();
  throw OutOfMemory(
      fmt::format("out of memory on cpu: {} bytes asked for, {} of {} available; release buffers or ask for less",
                  bytes, memory.free, memory.total));
}

void* Allocator::reuse(std::size_t size, const Progress* stream) noexcept {
  const auto bin = bins_.find(size);
  if (bin == bins_.end()) return nullptr;
  auto& blocks = bin->second;
  const auto block = std::find_if(blocks.rbegin(), blocks.rend(), [&](const Free& f) { return f.usable_by(stream); });
  if (block == blocks.rend()) return nullptr;
  void* memory = block->memory;
  blocks.erase(std::next(block).base());
  cached_ -= size;
  return memory;
}

void* Allocator::from_system(std::size_t size) {
  const auto attempt = [&]() -> void* {
    if (size >= checked_from && size > host_memory().free)
      return nullptr;  // the system would promise it, and kill us later
    return size >= mapped_from ? map(size, turn_++) : std::aligned_alloc(alignment, size);
  };
  void* memory = attempt();
  if (!memory && cached_) {
    keep_below(0);
    memory = attempt();
  }
  return memory;
}

void Allocator::release(void* memory, std::size_t bytes, const std::shared_ptr<Progress>& stream) noexcept {
  const std::size_t size = rounded(bytes);
  std::lock_guard lock(mutex_);
  try {
    bins_[size].push_back({memory, stream, stream->submitted()});
    cached_ += size;
  } catch (const std::bad_alloc&) {
    stream->wait(stream->submitted());  // no memory to remember it by
    to_system(memory, size);
  }
  if (cached_ > kept_) keep_below(kept_ / 2);
}

std::size_t Allocator::give_back() noexcept {
  std::lock_guard lock(mutex_);
  const auto before = cached_;
  keep_below(0);
  return before - cached_;
}

std::size_t Allocator::cached() const noexcept {
  std::lock_guard lock(mutex_);
  return cached_;
}

// Frees what no stream may still use, the largest blocks first.
void Allocator::keep_below(std::size_t limit) noexcept {
  std::size_t below = SIZE_MAX;
  while (cached_ > limit) {
    std::size_t size = 0;
    for (const auto& [s, blocks] : bins_) {
      if (s < below && s > size && !blocks.empty()) size = s;
    }
    if (!size) return;
    below = size;
    std::erase_if(bins_[size], [&](const Free& f) {
      if (cached_ <= limit || !f.usable_by(nullptr)) return false;
      to_system(f.memory, size);
      cached_ -= size;
      return true;
    });
  }
}

}  // namespace lanza::executor
