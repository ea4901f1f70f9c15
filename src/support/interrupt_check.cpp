#include "support/interrupt_check.hpp"

namespace lanza {
namespace {
std::atomic<InterruptCheck> current{nullptr};
}

void set_interrupt_check(InterruptCheck check) noexcept { current.store(check, std::memory_order_relaxed); }

InterruptCheck interrupt_check() noexcept { return current.load(std::memory_order_relaxed); }

}  // namespace lanza
