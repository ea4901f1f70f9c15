// The data segment of a module.
#include "backend/cpu/segment.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include <lanza/error.hpp>

namespace lanza::executor {

void Segment::Free::operator()(char* p) const noexcept { ::munmap(p, mapped); }

Segment::Segment(const std::string& data, const std::vector<std::uint64_t>& relocations, std::uint64_t bytes)
    : size_(std::max<std::size_t>(data.size(), bytes)) {
  const std::size_t mapped = std::max<std::size_t>(size_, 1);
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw OutOfMemory(fmt::format("out of memory on cpu: {} bytes for the variables of a module", size_));
  data_ = std::unique_ptr<char, Free>(static_cast<char*>(memory), Free{mapped});
  std::memcpy(data_.get(), data.data(), data.size());
  for (const std::uint64_t offset : relocations) {
    std::uint64_t pointer;
    if (offset > data.size() || data.size() - offset < sizeof pointer) {
      throw Error(fmt::format(
          "damaged module: a pointer at offset {} of a data segment of {} bytes; clear the cache (lanza cache clear)",
          offset, data.size()));
    }
    std::memcpy(&pointer, data_.get() + offset, sizeof pointer);
    pointer += reinterpret_cast<std::uintptr_t>(data_.get());
    std::memcpy(data_.get() + offset, &pointer, sizeof pointer);
  }
}

}  // namespace lanza::executor
