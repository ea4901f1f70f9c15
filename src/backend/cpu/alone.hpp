// Whether anybody else works on memory by atomic or volatile accesses.
#pragma once

namespace lanza::executor {

/// Who calls code with such accesses is beside others, any number of them, or alone; of the process. Nobody waits
/// while it is either.
namespace alone {

/// False: others are beside each other, or one is alone. Else until leave() nobody else is.
bool try_enter() noexcept;
void leave() noexcept;

}  // namespace alone

namespace beside {

/// Waits while one is alone.
void enter() noexcept;
void leave() noexcept;

}  // namespace beside

}  // namespace lanza::executor
