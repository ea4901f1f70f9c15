// The mark is made of the address and a secret, so that no other content of memory is taken for one.
#include "backend/cpu/device_heap.hpp"

#include <sys/random.h>

#include <cstddef>
#include <cstdlib>

#include "backend/cpu/fault_handler.hpp"

namespace lanza::executor {
namespace {

constexpr std::size_t alignment = 16;  // malloc's own

struct alignas(alignment) Header {
  std::uint64_t mark;
};
static_assert(sizeof(Header) == alignment);

std::uint64_t mark_of(const Header* header) noexcept {
  static const std::uint64_t secret = [] {
    std::uint64_t random = 0x9e3779b97f4a7c15;
    (void)!::getrandom(&random, sizeof random, GRND_NONBLOCK);  // in vain: a constant will nearly do
    return random;
  }();
  return secret ^ reinterpret_cast<std::uintptr_t>(header);
}

}  // namespace

void* allocate_on_heap(std::uint64_t bytes) noexcept {
  if (bytes == 0 || bytes > SIZE_MAX - sizeof(Header)) return nullptr;
  auto* header = static_cast<Header*>(std::malloc(sizeof(Header) + bytes));
  if (!header) return nullptr;
  header->mark = mark_of(header);
  return header + 1;
}

bool release_to_heap(void* memory) noexcept {
  if (!memory) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (address % alignment != 0) return false;
  // By its number: a kernel may free the address 16, and a member of no object at all must not be named.
  auto* header = reinterpret_cast<Header*>(address - sizeof(Header));
  // Of threads that free the same at once, one finds the mark.
  if (!replace_word(reinterpret_cast<std::uint64_t*>(header), mark_of(header), 0)) return false;
  std::free(header);
  return true;
}

}  // namespace lanza::executor
