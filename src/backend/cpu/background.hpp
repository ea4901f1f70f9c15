// Work beside the program that is worth a thread and that somebody may wait for later: compiling.
#pragma once

#include <functional>

namespace lanza::executor {

/// Does `work`, which throws nothing, on a thread of its own. False, and nothing was begun: as much is under way as
/// there are cores to spare, no thread can be made, or the process ends. Neither the end of the process nor fork()
/// leaves such work in the middle: both wait for it. Thread-safe.
bool begin_in_background(std::function<void()> work) noexcept;

}  // namespace lanza::executor
