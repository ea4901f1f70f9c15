// Machines without a driver, or with a broken one: an answer, never a crash. Each case is a process of its own, because
// the driver is looked for once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "backend/backend.hpp"
#include "backend/cuda/fake_driver/fake_driver.hpp"
#include "support/file.hpp"

namespace lanza::cuda_backend {
namespace {

using testing::HasSubstr;

/// Runs `f` in a forked child and returns what it wrote.
template <class F>
std::string in_child(F&& f) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = f();
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) result.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? result : "the child ended with status " + std::to_string(status) + ": " + result;
}

std::string answer_with(const std::string& file) {
  return in_child([&] {
    setenv("LANZA_CUDA_DRIVER", file.c_str(), 1);
    if (backend::cuda().device_count() != 0) return std::string("there are devices");
    try {
      backend::cuda().device(0);
    } catch (const Unavailable& error) {
      if (error.what() == backend::cuda().why_none() && !backend::cuda().diagnosis().empty())
        return backend::cuda().why_none();
    }
    return std::string("wrong exception");
  });
}

TEST(DriverAbsent, NoFile) {
  EXPECT_THAT(answer_with("/nowhere/libcuda.so.1"),
              testing::AllOf(HasSubstr("no CUDA device: libcuda.so.1 not found; looked in"),
                             HasSubstr("/nowhere/libcuda.so.1")));
}

TEST(DriverAbsent, AFileThatIsNoLibrary) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "libcuda.so.1") << "no ELF";
  EXPECT_THAT(answer_with((directory.path() / "libcuda.so.1").string()), HasSubstr("no CUDA device"));
}

TEST(DriverAbsent, ALibraryThatIsNoDriver) {
  EXPECT_THAT(answer_with("libm.so.6"), HasSubstr("is not a CUDA driver (it has no cuInit)"));
}

std::string answer_with_failing_init(int code) {
  return in_child([code] {
    fake::driver().fail("cuInit", code);
    return backend::cuda().device_count() == 0 ? backend::cuda().why_none() : "there are devices";
  });
}

TEST(DriverAbsent, AnInitialisationThatFails) {
  EXPECT_THAT(answer_with_failing_init(100), HasSubstr("sees none (CUDA_VISIBLE_DEVICES may hide them)"));
  EXPECT_THAT(answer_with_failing_init(34), HasSubstr("is a stub for linking, not a driver"));
  EXPECT_THAT(answer_with_failing_init(803), HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"));
  EXPECT_THAT(answer_with_failing_init(999), HasSubstr("CUDA_ERROR_UNKNOWN (999)"));
}

TEST(DriverAbsent, ZeroDevices) {
  EXPECT_THAT(in_child([] {
                setenv("LANZA_FAKE_DEVICES", "0", 1);
                fake::driver();
                return backend::cuda().device_count() == 0 ? backend::cuda().why_none() : "there are devices";
              }),
              HasSubstr("no CUDA device"));
}

TEST(DriverAbsent, AForkedChildIsToldToUseExec) {
  EXPECT_THAT(in_child([] {
                fake::driver();
                if (backend::cuda().device_count() != 1) return std::string("no device in the parent");
                return in_child(
                    [] { return std::to_string(backend::cuda().device_count()) + " " + backend::cuda().why_none(); });
              }),
              HasSubstr("0 no CUDA device: the driver was initialised before fork()"));
}

TEST(NvrtcAbsent, IsSaidWithWhatToInstall) {
  EXPECT_THAT(in_child([] {
                setenv("LANZA_NVRTC", "/nowhere/libnvrtc.so", 1);
                setenv("LANZA_COMPILER", "/nowhere/liblanza-compiler.so", 1);
                fake::driver();
                try {
                  backend::cuda().device(0).compile({.source = "__global__ void k() {}"});
                } catch (const Unavailable& error) {
                  return std::string(error.what());
                }
                return std::string("nothing was thrown");
              }),
              testing::AllOf(HasSubstr("pip install nvidia-cuda-nvrtc"), HasSubstr("LANZA_NVRTC")));
}

}  // namespace
}  // namespace lanza::cuda_backend
