// A list that only grows, of entries that are used again: a reader needs no lock and meets no freed memory.
#include "backend/cpu/code_ranges.hpp"

#include <new>

namespace lanza::executor {

// `owner` is null while the entry is free and `last` 0 while it is not valid.
struct CodeRange::Entry {
  std::atomic<const KernelObject*> owner;
  std::atomic<std::uintptr_t> first{0}, last{0};
  Entry* next = nullptr;
};

constinit std::atomic<CodeRange::Entry*> CodeRange::newest_{nullptr};

void CodeRange::set(std::uintptr_t first, std::uintptr_t last, const KernelObject* owner) noexcept {
  clear();
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry && !entry_; entry = entry->next) {
    const KernelObject* free = nullptr;
    if (entry->owner.compare_exchange_strong(free, owner, std::memory_order_acq_rel)) entry_ = entry;
  }
  if (!entry_) {
    entry_ = new (std::nothrow) Entry{owner};
    if (!entry_) return;
    entry_->next = newest_.load(std::memory_order_relaxed);
    while (!newest_.compare_exchange_weak(entry_->next, entry_, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  entry_->first.store(first, std::memory_order_relaxed);
  entry_->last.store(last, std::memory_order_release);
}

void CodeRange::clear() noexcept {
  if (!entry_) return;
  entry_->last.store(0, std::memory_order_release);
  entry_->owner.store(nullptr, std::memory_order_release);
  entry_ = nullptr;
}

// An address in code that runs finds its own entry, which nobody changes meanwhile.
const KernelObject* code_at(std::uintptr_t address) noexcept {
  for (auto* entry = CodeRange::newest_.load(std::memory_order_acquire); entry; entry = entry->next) {
    const std::uintptr_t last = entry->last.load(std::memory_order_acquire);
    if (address < last && address >= entry->first.load(std::memory_order_relaxed))
      return entry->owner.load(std::memory_order_relaxed);
  }
  return nullptr;
}

}  // namespace lanza::executor
