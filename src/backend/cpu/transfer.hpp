// Copies and fills in memory; large ones by all threads.
#pragma once

#include <cstddef>

namespace lanza::executor {

/// As memmove.
void copy_memory(void* destination, const void* source, std::size_t bytes);

/// `count` elements of `size` bytes (1, 2, 4, 8 or 16) set to *value.
void fill_memory(void* destination, const void* value, std::size_t size, std::size_t count);

}  // namespace lanza::executor
