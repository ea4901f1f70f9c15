// Device printf: formats, and the order of the output.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "backend/cpu/print_format.hpp"
#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

// CUDA's vprintf buffer: each argument at its natural alignment.
class Buffer {
 public:
  template <class T>
  Buffer& add(T value) {
    while (bytes_.size() % alignof(T)) bytes_.push_back('\x55');
    const char* p = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), p, p + sizeof value);
    return *this;
  }
  const void* data() const { return bytes_.data(); }

 private:
  std::vector<char> bytes_ = [] {
    std::vector<char> bytes;
    bytes.reserve(512);
    return bytes;
  }();
};

std::string print(const char* format, const Buffer& arguments = {}) {
  std::string text;
  executor::format_print(text, format, arguments.data());
  return text;
}

TEST(PrintFormat, EveryConversion) {
  EXPECT_EQ(print("plain"), "plain");
  EXPECT_EQ(print(""), "");
  EXPECT_EQ(print("100%%"), "100%");
  EXPECT_EQ(print("%d %i %u", Buffer().add(-1).add(2).add(3000000000u)), "-1 2 3000000000");
  EXPECT_EQ(print("%x %X %o %#x", Buffer().add(255).add(255).add(8).add(255)), "ff FF 10 0xff");
  EXPECT_EQ(print("%c%c", Buffer().add(int{'o'}).add(int{'k'})), "ok");
  EXPECT_EQ(print("%5.2f|%-8.3e|%g", Buffer().add(3.14159).add(1e5).add(0.5)), " 3.14|1.000e+05|0.5");
  EXPECT_EQ(print("%a %F", Buffer().add(1.0).add(2.5)), "0x1p+0 2.500000");
  EXPECT_EQ(print("%lld %llu %ld", Buffer().add(-5000000000ll).add(18446744073709551615ull).add(7ll)),
            "-5000000000 18446744073709551615 7");
  EXPECT_EQ(print("%zu %td %jd", Buffer().add(9ll).add(-9ll).add(10ll)), "9 -9 10");
  EXPECT_EQ(print("%hd %hhu %hx", Buffer().add(65537).add(257).add(0x12345)), "1 1 2345");
  EXPECT_EQ(print("%s|%10s|%-4s|%.2s", Buffer().add("one").add("two").add("x").add("three")), "one|       two|x   |th");
  EXPECT_EQ(print("%s", Buffer().add(static_cast<const char*>(nullptr))), "(null)");
  EXPECT_EQ(print("%p", Buffer().add(reinterpret_cast<void*>(0xabc))), "0xabc");
  EXPECT_EQ(print("%+d % d %05d %-5d|", Buffer().add(1).add(2).add(3).add(4)), "+1  2 00003 4    |");
}

TEST(PrintFormat, ArgumentsAreAligned) {
  EXPECT_EQ(print("%d %f %d %lld %d", Buffer().add(1).add(2.0).add(3).add(4ll).add(5)), "1 2.000000 3 4 5");
}

TEST(PrintFormat, StarsTakeArguments) {
  EXPECT_EQ(print("%*d|%-*d|%.*f", Buffer().add(5).add(42).add(4).add(7).add(2).add(2.345)), "   42|7   |2.35");
  EXPECT_EQ(print("%*d|", Buffer().add(-4).add(7)), "7   |") << "a negative width means left";
  EXPECT_EQ(print("%.*d", Buffer().add(-1).add(7)), "7") << "a negative precision means none";
}

TEST(PrintFormat, MalformedFormatsAreHarmless) {
  EXPECT_EQ(print("%"), "%");
  EXPECT_EQ(print("50% sure", Buffer().add(static_cast<const char*>(nullptr))), "50(null)ure") << "as in C: % s";
  EXPECT_EQ(print("%y", Buffer()), "%y");
  EXPECT_EQ(print("%-08.3ll"), "%-08.3ll");
  EXPECT_EQ(print("%-----------------------------5d|", Buffer().add(1)), "1    |");
  EXPECT_EQ(print("%99999999999d", Buffer().add(1)).size(), 4096u) << "no width fills the memory";
  EXPECT_EQ(print("%*d", Buffer().add(-2147483647 - 1).add(1)).size(), 4096u);
  EXPECT_EQ(print("%n", Buffer()), "%n");
}

TEST(PrintFormat, LongTextIsWhole) {
  const std::string text(100000, 'x');
  EXPECT_EQ(print("<%s>", Buffer().add(text.c_str())), "<" + text + ">");
}

TEST(PrintFormat, CountsItsArguments) {
  std::string text;
  EXPECT_EQ(executor::format_print(text, "%d %*d %% %s", Buffer().add(1).add(2).add(3).add("x").data()), 4);
}

// ---- the output of launches
// --------------------------------------------------------------------------------------------

class Print : public ExecutorTest {
 protected:
  void SetUp() override {
    backend::set_print_sink([this](std::string_view text) { printed += text; });
  }
  void TearDown() override { backend::set_print_sink({}); }
  std::string printed;
};

void say(const ThreadContext& t, const char* format, const Buffer& arguments) {
  t.block->launch->services->print(t.block, format, arguments.data());
}

Thread greet(ThreadContext t) {
  say(t, "block %d thread %d\n", Buffer().add(t.block->index[0]).add(t.x));
  co_await barrier();
  if (t.x == 0) say(t, "block %d ends\n", Buffer().add(t.block->index[0]));
}

TEST_F(Print, OutputIsInTheOrderOfBlocks) {
  run(threads_kernel<greet>, 50, 3, 0);
  std::string expected;
  for (int b = 0; b < 50; ++b) {
    const auto block = std::to_string(b);
    for (int t = 0; t < 3; ++t) expected += "block " + block + " thread " + std::to_string(t) + "\n";
    expected += "block " + block + " ends\n";
  }
  EXPECT_EQ(printed, expected);
}

void line(ThreadContext t) { say(t, "%u\n", Buffer().add(t.block->index[0])); }

TEST_F(Print, OutputComesWhenSomebodySynchronises) {
  const std::tuple<int> arguments(0);
  auto kernel = make_kernel(loop_kernel<line>);
  kernel->launch(stream, launch_of(2, 1, arguments));
  kernel->launch(stream, launch_of(1, 1, arguments));
  EXPECT_EQ(printed, "");
  stream.synchronize();
  EXPECT_EQ(printed, "0\n1\n0\n");
}

TEST_F(Print, AnEventShowsWhatCameBefore) {
  const std::tuple<int> arguments(0);
  auto event = context->make_event(false);
  make_kernel(loop_kernel<line>)->launch(stream, launch_of(1, 1, arguments));
  event->record(stream);
  event->synchronize();
  EXPECT_EQ(printed, "0\n");
}

void much(ThreadContext t) {
  const std::string text(1000, static_cast<char>('a' + t.block->index[0] % 26));
  for (int i = 0; i < 100; ++i) say(t, "%s\n", Buffer().add(text.c_str()));
}

TEST_F(Print, MuchOutputIsBoundedInMemoryAndWhole) {
  const unsigned blocks = 200;  // 20 MB: more than waits
  run(loop_kernel<much>, blocks, 1, 0);
  EXPECT_EQ(printed.size(), blocks * 100 * 1001u);
}

void print_and_fail(ThreadContext t) {
  say(t, "last words\n", {});
  t.block->launch->services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
}

TEST_F(Print, AFailedKernelsOutputIsShown) {
  EXPECT_THROW(run(loop_kernel<print_and_fail>, 1, 1, 0), LaunchError);
  EXPECT_EQ(printed, "last words\n");
}

TEST_F(Print, OutputOfADroppedStreamIsNotLost) {
  const std::tuple<int> arguments(0);
  {
    auto gone = context->make_stream(0, true);
    make_kernel(loop_kernel<line>)->launch(*gone, launch_of(3, 1, arguments));
    while (!gone->synchronize_for(std::chrono::milliseconds(1))) {
    }
    make_kernel(loop_kernel<line>)->launch(*gone, launch_of(1, 1, arguments));
    auto event = context->make_event(false);
    event->record(*gone);
    stream.wait(*event);
    stream.synchronize();
  }
  EXPECT_EQ(printed, "0\n1\n2\n0\n");
}

}  // namespace
}  // namespace lanza::testing
