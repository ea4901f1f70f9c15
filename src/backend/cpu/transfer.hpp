// Copies and fills in memory.
#pragma once

#include <cstddef>

namespace lanza::executor {

/// `count` elements of `size` bytes (1, 2, 4, 8 or 16) set to *value.
void fill_memory(void* destination, const void* value, std::size_t size, std::size_t count);

}  // namespace lanza::executor
