// Ends while a kernel runs that never does, on its own stream and on helpers of the pool. Prints a line that must not
// be lost.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "backend/cpu/stream.hpp"
#include "executor_fixture.hpp"

namespace {

using namespace lanza;
using namespace lanza::testing;

std::atomic<int> started{0};

void endless(ThreadContext) {
  ++started;
  for (volatile bool never = false; !never;) {
  }
}

void say(ThreadContext t) { t.block->launch->services->print(t.block, "said before the end\n", nullptr); }

struct Program : ExecutorTest {
  void TestBody() override {
    static auto say_kernel = make_kernel(loop_kernel<say>), endless_kernel = make_kernel(loop_kernel<endless, 0>);
    static const std::tuple<int> arguments(0);
    static auto kept = context;
    say_kernel->launch(stream, launch_of(1, 1, arguments));
    static auto event = context->make_event(false);
    event->record(stream);
    while (!stream_is_done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static auto own = context->make_stream(0, true);
    endless_kernel->launch(*own, launch_of(8, 1, arguments));
    while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Looks without showing the output: that is left to the end of the process.
  bool stream_is_done() { return executor::Stream::of(stream).progress()->idle(); }
};

}  // namespace

int main() {
  Program().TestBody();
  return 7;
}
