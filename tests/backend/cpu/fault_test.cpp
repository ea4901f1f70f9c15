// Faults of kernels: each ends its launch and nothing else, and those of others go where they would go without Lanza.
#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backend/cpu/kernel_object.hpp"
#include "backend/cpu/worker_pool.hpp"
#include "executor_fixture.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

namespace lanza::testing {
namespace {

enum What : std::uint64_t {
  Nothing,
  Write,
  Read,
  Call,
  Recursion,
  Trap,
  Assert,
  Breakpoint,
  PrintString,
  Free,
  FreeTwice
};

class Fault : public ExecutorTest {
 public:
  Fault() {
    backend::KernelInfo info;
    info.symbol = info.name = "k";
    auto record = std::make_shared<executor::ModuleRecord>(
        executor::ModuleRecord{"", {}, {}, executor::Segment(std::string(64, '\0'), {}), false, ""});
    kernel = std::make_unique<executor::Kernel>(std::move(record), std::move(info));
    kernel->share()->install(Dim3(0, 0, 0), executor::KernelObject::open(std::filesystem::path(LANZA_FAULTY_KERNEL)));
  }

  void launch(What what, std::uintptr_t memory, backend::Stream& on, bool waits = false) {
    const std::tuple<std::uintptr_t, std::uint64_t> arguments(memory, what);  // std::tuple stores them in reverse
    auto l = launch_of(8, 32, arguments);
    l.caller_waits = waits;
    kernel->launch(on, l);
  }
  std::string failure(What what, std::uintptr_t memory = 16) {
    return message_of<LaunchError>([&] {
      launch(what, memory, stream);
      stream.synchronize();
    });
  }
  /// From now on launches are known to be short, and run on the calling thread.
  void learn() {
    for (int i = 0; i < 3; ++i) {
      launch(Nothing, 0, stream);
      stream.synchronize();
    }
  }

  std::unique_ptr<executor::Kernel> kernel;
};

TEST_F(Fault, IsALaunchErrorThatSaysWhatAndWhere) {
  // The sample is C++: its line is that of this project's file.
  const auto starts = [](const std::string& text, std::string_view with) {
    EXPECT_EQ(text.find(with), 0u) << text;
    EXPECT_NE(text.find("faulty_kernel.cpp:"), std::string::npos) << text;
  };
  for (int round = 0; round < 2; ++round) {  // in the stream's thread, then on this one
    starts(failure(Write), "k: invalid write to address 0x10 (a null pointer?) in block (3,0,0): ");
    starts(failure(Read, 0x123456000), "k: invalid read of address 0x123456000 in block (3,0,0): ");
    starts(failure(Call, 0x123456000), "k: call of a function at the invalid address 0x123456000 in block (3,0,0): ");
    starts(failure(Trap), "k: trap in block (3,0,0): ");
    EXPECT_EQ(failure(Assert), "k: assertion `i < n` failed in block (3,0,0): k.cu:7, void k(int)");
#if defined(__x86_64__)
    starts(failure(Read, 0x8000000000000000), "k: invalid access (misaligned, or to an address that no memory has)");
    starts(failure(Breakpoint), "k: breakpoint (__brkpt) without a debugger in block (3,0,0): ");
#endif
    starts(failure(Recursion), "k: stack overflow");
    EXPECT_NE(
        failure(PrintString).find("k: printf was given an invalid string at address 0x10 for %s in block (3,0,0)"),
        std::string::npos);
    learn();
  }
}

std::size_t open_files() {
  std::size_t n = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++n;
  closedir(folder);
  return n;
}

std::size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stoul(line.substr(6));
  }
  return 0;
}

TEST_F(Fault, AFreeOfWhatMallocDidNotGiveIsALaunchError) {
  const auto says = [](const std::string& text) {
    return text.starts_with("k: free of 0x") &&
           text.find(", which malloc did not give or which was freed before in block (3,0,0): ") != text.npos;
  };
  launch(Free, 0, stream);  // of null: nothing
  EXPECT_NO_THROW(stream.synchronize());
  std::vector<std::uint64_t> words(64);
  const auto of_the_host = reinterpret_cast<std::uintptr_t>(words.data());
  for (const std::uintptr_t address : {std::uintptr_t{0x10}, std::uintptr_t{0x123456000}, ~std::uintptr_t{0xf},
                                       of_the_host, of_the_host + 32, of_the_host + 33}) {
    const std::string text = failure(Free, address);
    EXPECT_TRUE(says(text)) << text;
  }
  const std::string text = failure(FreeTwice);
  EXPECT_TRUE(says(text)) << text;
}

// By how much `measure` grows during `action`: once by no more than `allowed`, or the least seen. Workers come to their
// first launch in many of the rounds, and helpers that were asked for too late let go of theirs after its end. What
// faults leave behind would be there after every round.
template <class Measure, class Action>
std::size_t growth(Measure measure, Action action, std::size_t allowed) {
  std::size_t least = ~std::size_t{0};
  for (int i = 0; i < 10 && least > allowed; ++i) {
    const std::size_t before = measure();
    action();
    for (int look = 0; look < 10 && least > allowed; ++look) {
      least = std::min(least, std::max(before, measure()) - before);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return least;
}

constexpr std::size_t many = 2000;      // so many faults that what they leave stands out of what workers keep
constexpr std::size_t used = many * 8;  // bytes: the smallest allocation a fault would be four times as much
std::size_t bytes_used() { return mallinfo2().uordblks; }

TEST_F(Fault, AThousandLeaveNothingBehind) {
  const What all[] = {Recursion, Write, Read, Call, Trap, Assert, PrintString};
  const auto faults = [&] {
    for (std::size_t i = 0; i < many; ++i) failure(all[i % std::size(all)]);
  };
  // An overflow uses up the stack of its thread: some megabytes for each worker that meets its first one.
  const auto faults_without_overflows = [&] {
    for (std::size_t i = 0; i < many; ++i) failure(all[1 + i % (std::size(all) - 1)]);
  };
  faults();
  const auto files = open_files();
  faults();
  EXPECT_EQ(open_files(), files);
  if (sanitized) return;                  // they keep freed memory
  constexpr std::size_t resident = many;  // kilobytes: a page a fault would be four times as much
  EXPECT_LE(growth(bytes_used, faults, used), used);
  EXPECT_LE(growth(resident_kilobytes, faults_without_overflows, resident), resident);
}

TEST_F(Fault, TheMeasureSees24BytesThatEachLeavesBehind) {
  if (sanitized) GTEST_SKIP() << "sanitizers keep freed memory";
  if (executor::worker_count() > 1) GTEST_SKIP() << "what workers keep goes down by more when some leave";
  std::vector<std::unique_ptr<char[]>> left_behind;
  left_behind.reserve(11 * many);
  const auto leaking_faults = [&] {
    for (std::size_t i = 0; i < many; ++i) {
      failure(Write);
      left_behind.push_back(std::make_unique<char[]>(24));
    }
  };
  leaking_faults();
  EXPECT_GT(growth(bytes_used, leaking_faults, used), used);
}

// Other streams' kernels run meanwhile, each launch on workers that faults come to and go from.
TEST_F(Fault, OtherWorkGoesOn) {
  std::atomic<bool> over{false};
  std::atomic<int> done{0};
  std::vector<std::thread> others;
  for (int t = 0; t < 3; ++t) {
    others.emplace_back([&] {
      const auto own = context->make_stream(0, true);
      std::vector<char> memory(64, 0);
      while (!over) {
        memory[0] = 0;
        launch(Write, reinterpret_cast<std::uintptr_t>(memory.data()), *own);
        own->synchronize();
        EXPECT_EQ(memory[0], 1);
        ++done;
      }
    });
  }
  const auto faulty = context->make_stream(0, true);
  for (int i = 0; i < 300 || done < 30; ++i) {
    launch(i % 2 ? Write : Recursion, 16, *faulty);
    EXPECT_THROW(faulty->synchronize(), LaunchError);
  }
  over = true;
  for (auto& thread : others) thread.join();
}

TEST_F(Fault, ThreadsWithSmallStacksSurviveTheirOverflow) {
  learn();
  for (int i = 0; i < 20; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_t thread;
    const auto body = [](void* self) -> void* {
      static_cast<Fault*>(self)->failure(Recursion);
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, this), 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, nullptr);
    learn();
  }
}

#if defined(__x86_64__)
TEST_F(Fault, TheThreadKeepsItsRoundingMode) {
  learn();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_FLUSH_ZERO_ON | _MM_ROUND_DOWN);
  const unsigned set = _mm_getcsr() & ~_MM_EXCEPT_MASK;
  launch(Write, 16, stream);  // on this thread
  EXPECT_EQ(_mm_getcsr() & ~_MM_EXCEPT_MASK, set);
  _mm_setcsr(before);
  EXPECT_THROW(stream.synchronize(), LaunchError);
}
#endif

TEST_F(Fault, AThreadsOwnSignalStackStays) {
  learn();
  std::thread([&] {
    std::vector<char> own(64 << 10);
    stack_t mine = {}, now = {};
    mine.ss_sp = own.data(), mine.ss_size = own.size();
    sigaltstack(&mine, nullptr);
    failure(Recursion);
    sigaltstack(nullptr, &now);
    EXPECT_EQ(now.ss_sp, mine.ss_sp);
    mine.ss_flags = SS_DISABLE;
    sigaltstack(&mine, nullptr);
  }).join();
}

// ---- the process's own faults and handlers: each in a process of its own
// --------------------------------------------------------

class FaultDeathTest : public Fault {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void host_fault() {
    volatile std::uintptr_t nowhere = 0x10;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  }
  static void own_handler(int, siginfo_t* info, void*) {
    _exit(info->si_addr == reinterpret_cast<void*>(0x10) ? 42 : 43);
  }
  static void install_own_handler() {
    struct sigaction action = {};
    action.sa_sigaction = own_handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
  }
  bool fails() { return failure(Write).find("invalid write") != std::string::npos; }
};

TEST_F(FaultDeathTest, AHandlerFromBeforeGetsTheFaultsOfTheHost) {
  EXPECT_EXIT(
      {
        install_own_handler();
        if (fails() && fails()) host_fault();
      },
      ::testing::ExitedWithCode(42), "");
}

TEST_F(FaultDeathTest, AHandlerFromLaterGetsTheFaultsOfTheHostAndNotThoseOfKernels) {
  EXPECT_EXIT(
      {
        if (fails()) install_own_handler();
        if (fails() && fails()) host_fault();
      },
      ::testing::ExitedWithCode(42), "");
}

// Somebody's handler over ours that blocks signals while it runs, for the short time until ours goes on top again.
TEST_F(FaultDeathTest, NoSignalStaysBlockedWhereAHandlerHandsOn) {
  static struct sigaction ours;
  const auto blocked_after_a_fault = [&] {
    learn();
    struct sigaction action = {};
    action.sa_sigaction = [](int signal, siginfo_t* info, void* context) { ours.sa_sigaction(signal, info, context); };
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &ours);
    launch(Write, 16, stream);  // on this thread
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return sigismember(&now, SIGSEGV) || sigismember(&now, SIGUSR1);
  };
  EXPECT_EXIT(_exit(blocked_after_a_fault() ? 1 : 0), ::testing::ExitedWithCode(0), "");
}

TEST_F(FaultDeathTest, WithoutAHandlerTheProcessEndsAsEver) {
  if (sanitized) GTEST_SKIP() << "the sanitizer's own handler ends the process otherwise";
  EXPECT_EXIT(
      {
        if (fails()) host_fault();
      },
      ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(
      {
        if (fails()) raise(SIGSEGV);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(FaultDeathTest, AnIgnoredSignalThatIsSentStaysIgnored) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_IGN);
        if (fails()) raise(SIGSEGV);
        _exit(fails() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lanza::testing
