// `lanza doctor`: what each part found, then the proof: a kernel compiled and run on each device.
#include <lanza/cache.hpp>
#include <lanza/diagnosis.hpp>
#include <lanza/lanza.hpp>
#include <numeric>
#include <vector>

#include "tools/commands.hpp"
#include "tools/text.hpp"

namespace lanza::cli {
namespace {

// Shared memory, a barrier and more than one block: what the simplest real kernels need.
constexpr std::string_view source = R"(
__global__ void reverse_blocks(int *result, const int *values) {
  __shared__ int block[64];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  block[threadIdx.x] = values[at] * 2 + 1;
  __syncthreads();
  result[at] = block[blockDim.x - 1 - threadIdx.x];
})";
constexpr int block = 64, grid = 8;

bool is_right(const std::vector<int>& result) {
  for (int at = 0; at < block * grid; ++at) {
    const int source_index = at / block * block + (block - 1 - at % block);
    if (result[static_cast<std::size_t>(at)] != source_index * 2 + 1) return false;
  }
  return true;
}

// A sentence on how it went; throws when it did not.
std::string try_kernel(const Device& device) {
  const Module module = compile(source, {.filename = "doctor.cu", .device = device, .cache = false});
  const Kernel kernel = module.kernel("reverse_blocks");
  std::vector<int> values(block * grid), result(values.size());
  std::iota(values.begin(), values.end(), 0);
  const auto start = std::chrono::steady_clock::now();
  kernel({.grid = grid, .block = block}, out(result), in(values));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!is_right(result)) throw Error("the kernel ran, but its results are wrong");
  return fmt::format("{} compiled it in {}, the first launch took {}", module.compiler(),
                     time_text(module.compile_seconds()), time_text(seconds));
}

class Report {
 public:
  void problem(std::string_view part, std::string_view text) {
    print("  PROBLEM: {}\n", text);
    problems_.push_back(fmt::format("{}: {}", part, text));
  }
  int finish() const {
    if (problems_.empty()) {
      print("\nNo problem found.\n");
      return 0;
    }
    print("\n{} found:\n", count_text(problems_.size(), "problem", "problems"));
    for (const auto& line : problems_) print("  {}\n", line);
    return 1;
  }

 private:
  std::vector<std::string> problems_;
};

void check_device(const Device& device, Report& report) {
  print("\n{} ({})\n", device.id(), device.name());
  try {
    print("  ok: {}\n", try_kernel(device));
  } catch (const std::exception& error) {
    report.problem(device.id(), error.what());
  }
}

void check_cache(Report& report) {
  print("\ncache\n  {}\n", cache::directory().string());
  const std::string problem = cache::why_unusable();
  if (problem == "LANZA_CACHE=0")
    print("  switched off by LANZA_CACHE=0\n");
  else if (!problem.empty())
    report.problem("cache", problem);
  else
    print("  ok\n");
}

}  // namespace

int doctor() {
  Report report;
  print("lanza {}\n", version());
  for (const Diagnosis& part : diagnose()) {
    print("\n{}\n", part.part);
    for (const auto& line : part.lines) print("  {}\n", line);
  }
  check_cache(report);
  const auto all = devices();
  if (all.empty()) report.problem("devices", "there is none; see above what was looked for");
  for (const Device& device : all) check_device(device, report);
  try {
    if (!all.empty()) print("\ndefault device: {}\n", default_device().id());
  } catch (const Error& error) {
    report.problem("LANZA_DEVICE", error.what());
  }
  return report.finish();
}

}  // namespace lanza::cli
