// Streams and events: order, concurrency, errors, cancelling, time limits.
#include "backend/cpu/stream.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

using namespace std::chrono_literals;

using Body = std::function<void()>*;

// A kernel whose only block calls into the test.
void call(ThreadContext t) { (*t.argument<Body>())(); }
const LanzaKernelObject& calling = loop_kernel<call>;

// Spins until the flag is set, letting others run.
Thread spin(ThreadContext t) {
  auto& flag = *t.argument<std::atomic<bool>*>();
  while (!flag) co_await yield();
}
const LanzaKernelObject& spinning = threads_kernel<spin, LANZA_KERNEL_BLOCKING>;

class StreamTest : public ExecutorTest {
 protected:
  template <class T>
  void launch(backend::Stream& s, const LanzaKernelObject& object, T argument, std::chrono::milliseconds timeout = 0ms,
              const char* name = "k") {
    const std::tuple<T> arguments(argument);
    auto l = launch_of(1, 1, arguments);
    l.timeout = timeout;
    make_kernel(object, name)->launch(s, l);
  }
};

TEST_F(StreamTest, WorkRunsInOrder) {
  std::vector<int> order;
  std::vector<std::function<void()>> bodies;
  for (int i = 0; i < 100; ++i) bodies.emplace_back([&order, i] { order.push_back(i); });
  for (auto& body : bodies) launch(stream, calling, &body);
  stream.synchronize();
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST_F(StreamTest, KernelsOfDifferentStreamsRunAtTheSameTime) {
  auto a = context->make_stream(0, true), b = context->make_stream(0, true);
  std::atomic<bool> flag{false};
  launch(*a, spinning, &flag);
  EXPECT_FALSE(a->query());
  EXPECT_FALSE(a->synchronize_for(20ms));
  std::function<void()> set = [&] { flag = true; };
  launch(*b, calling, &set);
  b->synchronize();
  a->synchronize();
  EXPECT_TRUE(a->query());
}

TEST_F(StreamTest, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  auto blocking = context->make_stream(0, false), free = context->make_stream(0, true);
  std::atomic<bool> flag{false};
  std::atomic<int> step{0}, seen_default{0}, seen_blocking{0}, seen_free{0};
  std::function<void()> in_default = [&] { seen_default = ++step; }, in_blocking = [&] { seen_blocking = ++step; },
                        in_free = [&] { seen_free = ++step; };
  launch(*blocking, spinning, &flag);
  launch(stream, calling, &in_default);
  launch(*blocking, calling, &in_blocking);
  launch(*free, calling, &in_free);
  free->synchronize();
  EXPECT_EQ(seen_free, 1) << "a non-blocking stream waits for nobody";
  EXPECT_EQ(seen_default, 0);
  flag = true;
  blocking->synchronize();
  EXPECT_EQ(seen_default, 2);
  EXPECT_EQ(seen_blocking, 3);
}

TEST_F(StreamTest, SynchronisingTheDefaultStreamWaitsForBlockingStreams) {
  auto blocking = context->make_stream(0, false);
  std::atomic<bool> flag{false};
  launch(*blocking, spinning, &flag);
  EXPECT_FALSE(stream.synchronize_for(10ms));
  flag = true;
  stream.synchronize();
  EXPECT_TRUE(blocking->query());
}

TEST_F(StreamTest, AStreamWaitsForAnEventOfAnother) {
  auto a = context->make_stream(0, true), b = context->make_stream(0, true);
  auto event = context->make_event(true);
  std::atomic<bool> flag{false};
  std::atomic<int> value{0};
  int seen = -1;
  std::function<void()> write = [&] { value = 7; }, read = [&] { seen = value; };
  launch(*a, spinning, &flag);
  launch(*a, calling, &write);
  event->record(*a);
  EXPECT_FALSE(event->query());
  b->wait(*event);
  launch(*b, calling, &read);
  EXPECT_FALSE(b->synchronize_for(10ms));
  flag = true;
  b->synchronize();
  EXPECT_EQ(seen, 7);
  EXPECT_TRUE(event->query());
}

TEST_F(StreamTest, EventsMeasureTime) {
  auto first = context->make_event(true), second = context->make_event(true);
  std::function<void()> sleep = [] { std::this_thread::sleep_for(20ms); };
  EXPECT_TRUE(first->query()) << "never recorded";
  first->record(stream);
  launch(stream, calling, &sleep);
  second->record(stream);
  second->synchronize();
  const float elapsed = second->milliseconds_since(*first);
  EXPECT_GE(elapsed, 20.0f);
  EXPECT_LT(elapsed, 10000.0f);
  EXPECT_LE(first->milliseconds_since(*second), -20.0f);
}

TEST_F(StreamTest, EventsWithoutTimeSaySo) {
  auto recorded = context->make_event(true), never = context->make_event(true), timeless = context->make_event(false);
  recorded->record(stream);
  timeless->record(stream);
  EXPECT_THROW(recorded->milliseconds_since(*never), InvalidArgument);
  EXPECT_THROW(never->milliseconds_since(*recorded), InvalidArgument);
  EXPECT_THROW(recorded->milliseconds_since(*timeless), InvalidArgument);
  EXPECT_NE(message_of<InvalidArgument>([&] { timeless->milliseconds_since(*recorded); }).find("timing=True"),
            std::string::npos);
}

void fail(ThreadContext t) { t.block->launch->services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr); }

TEST_F(StreamTest, AnErrorIsReportedOnceAndLaterWorkGoesOn) {
  int ran = 0;
  std::function<void()> count = [&] { ++ran; };
  for (int i = 0; i < 3; ++i) {
    launch(stream, loop_kernel<fail>, 0, 0ms, "broken");
    launch(stream, calling, &count);
    try {
      stream.synchronize();
      FAIL() << "no exception";
    } catch (const LaunchError& e) {
      EXPECT_EQ(e.kernel(), "broken");
      EXPECT_STREQ(e.what(), "broken: trap in block (0,0,0)");
    }
    EXPECT_EQ(ran, i + 1);
    stream.synchronize();
  }
}

TEST_F(StreamTest, AnErrorStaysInItsStream) {
  auto other = context->make_stream(0, true);
  launch(*other, loop_kernel<fail>, 0);
  stream.synchronize();
  EXPECT_THROW(context->synchronize(), LaunchError);
  other->synchronize();
}

TEST_F(StreamTest, CancelEndsWhatRunsAndWhatWaits) {
  std::atomic<bool> never{false};
  int ran = 0;
  std::function<void()> count = [&] { ++ran; };
  launch(stream, spinning, &never, 0ms, "endless");
  launch(stream, calling, &count);
  EXPECT_FALSE(stream.synchronize_for(20ms));
  stream.cancel();
  EXPECT_EQ(message_of<LaunchError>([&] { stream.synchronize(); }), "endless: cancelled");
  EXPECT_EQ(ran, 0);
  launch(stream, calling, &count);
  stream.synchronize();
  EXPECT_EQ(ran, 1);
}

// Barriers for ever, no yield: the scheduler looks at every round.
Thread barriers_for_ever(ThreadContext) {
  for (;;) co_await barrier();
}

TEST_F(StreamTest, ATimeLimitEndsAKernelThatNeverDoes) {
  std::atomic<bool> never{false};
  launch(stream, spinning, &never, 50ms, "endless");
  EXPECT_EQ(message_of<LaunchError>([&] { stream.synchronize(); }), "endless: timed out after 50 ms");
  launch(stream, threads_kernel<barriers_for_ever>, 0, 50ms);
  EXPECT_EQ(message_of<LaunchError>([&] { stream.synchronize(); }), "k: timed out after 50 ms");
}

TEST_F(StreamTest, ATimeLimitThatIsNotReachedChangesNothing) {
  int ran = 0;
  std::function<void()> count = [&] { ++ran; };
  launch(stream, calling, &count, 10000ms);
  stream.synchronize();
  EXPECT_EQ(ran, 1);
}

TEST_F(StreamTest, ShortKernelsRunOnTheCallingThreadOnceTheyAreKnown) {
  std::thread::id where;
  std::function<void()> body = [&] { where = std::this_thread::get_id(); };
  const std::tuple<Body> arguments(&body);
  auto kernel = make_kernel(calling);
  kernel->launch(stream, launch_of(1, 1, arguments));
  stream.synchronize();
  EXPECT_NE(where, std::this_thread::get_id()) << "who waits for a first launch can be interrupted";
  // How long the first took depends on the machine's load; soon one was short.
  for (int i = 0; i < 200 && where != std::this_thread::get_id(); ++i) {
    kernel->launch(stream, launch_of(1, 1, arguments));
    stream.synchronize();
  }
  EXPECT_EQ(where, std::this_thread::get_id());
}

// Loops that nobody can count: a launch tells of those with the same grid and scalars only.
TEST_F(StreamTest, WithUncountedLoopsOnlyTheSameLaunchIsKnownToBeShort) {
  std::atomic<std::thread::id> where;  // two blocks may have a thread each
  std::function<void()> body = [&] { where = std::this_thread::get_id(); };
  LanzaKernelObject uncounted = calling;
  uncounted.flags |= LANZA_KERNEL_UNBOUNDED;
  struct Arguments {
    Body body;
    int scalar;
  };
  backend::KernelInfo info;
  info.symbol = info.name = "k";
  info.signature.bytes = sizeof(Arguments);
  info.signature.parameters.resize(2);
  info.signature.parameters[0].kind = Parameter::Kind::Pointer;
  info.signature.parameters[1].kind = Parameter::Kind::Scalar;
  info.signature.parameters[1].offset = offsetof(Arguments, scalar);
  info.signature.parameters[1].size = sizeof(int);
  executor::Kernel kernel(make_kernel(calling)->share()->module, info);
  kernel.share()->install(Dim3(0, 0, 0), std::make_shared<executor::KernelObject>(uncounted));
  const auto runs_here = [&](unsigned grid, int scalar) {
    const std::tuple<Arguments> arguments(Arguments{&body, scalar});
    kernel.launch(stream, launch_of(grid, 1, arguments));
    stream.synchronize();
    return where.load() == std::this_thread::get_id();
  };
  const auto is_learnt = [&](unsigned grid, int scalar) {
    if (runs_here(grid, scalar)) return false;
    for (int i = 0; i < 200; ++i)
      if (runs_here(grid, scalar)) return true;
    return false;
  };
  bool is_kept = false;
  for (int scalar = 0; scalar < 100 && !is_kept; scalar += 2) {  // a thread that was put aside meanwhile counts as long
    EXPECT_TRUE(is_learnt(1, scalar));
    EXPECT_TRUE(is_learnt(1, scalar + 1));
    EXPECT_TRUE(is_learnt(2, scalar));
    is_kept = runs_here(1, scalar);
  }
  EXPECT_TRUE(is_kept);
}

// Work that is worth helpers, in a queue behind work that nobody has begun: who waits does it, rather than wait for the
// stream's thread to wake up.
TEST_F(StreamTest, WhoWaitsDoesWhatSuitsHim) {
  std::atomic<int> blocks{0};
  const auto here = std::this_thread::get_id();
  std::atomic<int> here_too{0};
  std::function<void()> body = [&] {
    ++blocks;
    here_too += std::this_thread::get_id() == here;
    const auto end = std::chrono::steady_clock::now() + 50us;
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  const std::tuple<Body> arguments(&body);
  auto kernel = make_kernel(calling);
  kernel->launch(stream, launch_of(16, 1, arguments));
  stream.synchronize();
  int launches = 1;
  for (here_too = 0; launches < 200 && here_too == 0; ++launches) {
    kernel->launch(stream, launch_of(16, 1, arguments));
    stream.synchronize();
  }
  EXPECT_GT(here_too, 0);
  EXPECT_EQ(blocks, 16 * launches);
}

TEST_F(StreamTest, ManyThreadsShareAStream) {
  std::atomic<int> ran{0};
  std::function<void()> count = [&] { ++ran; };
  const std::tuple<Body> arguments(&count);
  auto kernel = make_kernel(calling);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 250; ++n) kernel->launch(stream, launch_of(1, 1, arguments));
      stream.synchronize();
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(ran, 1000);
}

TEST_F(StreamTest, AStreamMayGoWhileItsWorkRuns) {
  std::atomic<bool> flag{false}, done{false};
  auto* memory = reinterpret_cast<volatile char*>(context->allocate(5000, stream));
  std::function<void()> body = [&] {
    for (int i = 0; i < 5000; ++i) memory[i] = 1;
    done = true;
  };
  {
    auto gone = context->make_stream(0, true);
    launch(*gone, spinning, &flag);
    launch(*gone, calling, &body);
    context->release(reinterpret_cast<backend::Pointer>(memory), 5000, *gone);
  }
  context.reset();
  EXPECT_FALSE(done);
  flag = true;
  for (int i = 0; i < 1000 && !done; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(done);
}

TEST_F(StreamTest, AHandleIsAdoptedByItsContextOnly) {
  auto made = context->make_stream(0, true);
  auto adopted = context->adopt_stream(made->handle());
  EXPECT_EQ(adopted->handle(), made->handle());
  std::atomic<bool> flag{false};
  launch(*adopted, spinning, &flag);
  EXPECT_FALSE(made->query());
  flag = true;
  made->synchronize();
  EXPECT_THROW(context->adopt_stream(12345), InvalidArgument);
  EXPECT_THROW(device().create_context()->adopt_stream(made->handle()), InvalidArgument);
}

}  // namespace
}  // namespace lanza::testing
