// Copies and fills in memory.
#include "backend/cpu/transfer.hpp"

#include <cstring>

namespace lanza::executor {

void fill_memory(void* destination, const void* value, std::size_t size, std::size_t count) {
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

}  // namespace lanza::executor
