// The data segment of a module.
#include "backend/cpu/segment.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include <lanza/error.hpp>

namespace lanza::executor {

void Segment::Free::operator()(char* p) const noexcept { std::free(p); }

Segment::Segment(const std::string& data, const std::vector<std::uint64_t>& relocations)
    : size_(data.size()), data_(static_cast<char*>(std::aligned_alloc(256, (data.size() + 256) & ~std::size_t{255}))) {
  if (!data_) throw OutOfMemory(fmt::format("out of memory on cpu: {} bytes for the variables of a module", size_));
  std::memcpy(data_.get(), data.data(), size_);
  for (const std::uint64_t offset : relocations) {
    std::uint64_t pointer;
    if (offset > size_ || size_ - offset < sizeof pointer) {
      throw Error(fmt::format(
          "damaged module: a pointer at offset {} of a data segment of {} bytes; clear the cache (lanza cache clear)",
          offset, size_));
    }
    std::memcpy(&pointer, data_.get() + offset, sizeof pointer);
    pointer += reinterpret_cast<std::uintptr_t>(data_.get());
    std::memcpy(data_.get() + offset, &pointer, sizeof pointer);
  }
}

}  // namespace lanza::executor
