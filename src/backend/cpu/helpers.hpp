// Threads that help with a launch. Those that did stay awake for a while, so that the next launch finds them at work
// within some 100 ns: waking a thread takes 5 to 50 us, as long as many a launch.
#pragma once

#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {

/// Who is asked: helpers that are awake; any, who may have to be woken; or any when those that were asked before have
/// come.
enum class Helpers : unsigned char { Awake, Any, Later };

/// Lets one more thread of the pool call `help`. False: there is none to ask, `help` will not be called.
bool request_helper(PoolWork help, void* context, Helpers which);

/// Lets up to `most` helpers that are awake call `help`, all with the same context. In place of a slot each gets a
/// number from 0 on, the same at the next request if none has come or gone. How many will call it. Nobody else can ask
/// them until release_helpers() is called.
unsigned request_awake(PoolWork help, void* context, unsigned most) noexcept;

/// Those of them that have not come yet, and will not: a thread that is taken for awake may have lost its core to
/// another. How many.
unsigned take_back_requests(void* context) noexcept;

/// Others may ask those that were asked with request_awake(), all of whom have come or were taken back.
void release_helpers(const void* context) noexcept;

/// How many there are now that are awake and have nothing to do: a guess, others may ask for them.
unsigned awake_helpers() noexcept;

}  // namespace lanza::executor
