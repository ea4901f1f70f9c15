// The memory of a context: lives as long as work that may use it.
#pragma once

#include "backend/cpu/allocator.hpp"
#include "backend/cpu/device_heap.hpp"
#include "support/cpu.hpp"

namespace lanza::executor {

struct ContextMemory {
  Allocator buffers;
  DeviceHeap heap{host_memory().total / 4};
};

}  // namespace lanza::executor
