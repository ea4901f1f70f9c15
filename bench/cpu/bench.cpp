// Kernels on the CPU device against the same work in C++ (twin.hpp): the faster of g++ and clang. All in one run,
// interleaved, least times; the baseline is measured twice, and what it differs from itself is the noise.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "case.hpp"
#include "measure.hpp"
#include "twin_library.hpp"

namespace {

using namespace bench;

struct Options {
  std::vector<int> threads;
  double seconds = 0.5;
  bool pocl = false, report = false;
  std::string part, only, target = "native", json, twins = BENCH_BUILD_FOLDER;
};

const std::map<std::string, std::vector<void (*)(Cases&)>> parts{{"list", {add_elementwise, add_list, add_others}},
                                                                 {"idioms", {add_loops, add_memory, add_cooperation}}};

std::string json_of(const Result& r, const std::string& part, int threads, const std::string& target) {
  std::string least;
  for (const auto& [name, time] : r.least)
    least += fmt::format("{}\"{}\": {:.2f}", least.empty() ? "" : ", ", name, time);
  return fmt::format(
      R"({{"part": "{}", "case": "{}", "threads": {}, "target": "{}", "engine": "{}", "compile_ms": {:.1f}, "goal": {}, "us": {{{}}}, )"
      R"("ratio": {:.3f}, "noise": {:.3f}, "error": {:.1e}, "wrong": {}}})",
      part, r.name, threads, target, r.engine, r.compile_ms, r.goal, least, r.ratio, r.noise, r.error, r.wrong);
}

void print(const Result& r, const std::vector<TwinLibrary>& twins, bool pocl) {
  fmt::print("{:<34} {:<10} {:>6.1f}", r.name, r.engine, r.compile_ms);
  if (!r.least.empty()) {
    fmt::print(" {:>10.1f}", r.least.at("lanza"));
    for (const TwinLibrary& library : twins) fmt::print(" {:>10.1f}", r.least.at(library.compiler));
    if (pocl) fmt::print(" {:>10}", r.least.contains("pocl") ? fmt::format("{:.1f}", r.least.at("pocl")) : "-");
    fmt::print(" {:>8.2f} {:>5.2f} {:>7.1f}%", r.ratio, r.goal, 100 * r.noise);
  }
  fmt::print(" {:>9.1e}{}\n", r.error, r.wrong ? "  WRONG" : "");
  std::fflush(stdout);
}

struct GeometricMean {
  double sum = 0;
  int count = 0;
  void add(double ratio) { sum += std::log(ratio), ++count; }
  double value() const { return std::exp(sum / count); }
};
struct Means {
  GeometricMean twins;  ///< Lanza's time to the twins'
  GeometricMean pocl;   ///< PoCL's time to Lanza's
};

/// Runs the cases of a part. Whether all results were right.
bool run_part(const std::string& part, const std::vector<TwinLibrary>& twins, OpenCl* opencl, const Options& options,
              Means& means) {
  Cases cases;
  for (const auto add : parts.at(part)) add(cases);
  std::map<std::string, lanza::Module> modules;
  std::ofstream json(options.json, std::ios::app);
  bool right = true;
  for (const auto& [name, make] : cases.all()) {
    if (name.find(options.only) == std::string::npos) continue;
    const Case c = make();
    const std::string key = c.about.file + c.about.kernel;
    if (!modules.contains(key))
      modules.emplace(key,
                      lanza::load(std::string(BENCH_SOURCE_FOLDER "/") + c.about.file, {.names = {c.about.kernel}}));
    const Result r = measure(c, modules.at(key).kernel(c.about.kernel), twins, opencl,
                             {.threads = options.threads[0], .seconds = options.seconds});
    print(r, twins, opencl);
    if (options.report) fmt::print("{}\n", r.report);
    right = right && !r.wrong;
    if (r.least.empty()) continue;
    if (json) json << json_of(r, part, options.threads[0], options.target) << '\n';
    means.twins.add(r.ratio);
    if (r.least.contains("pocl")) means.pocl.add(r.least.at("pocl") / r.least.at("lanza"));
  }
  return right;
}

bool run(const Options& options) {
  const std::vector<TwinLibrary> twins = load_twins(options.twins, options.target);
  if (twins.empty()) throw std::runtime_error("no twins for " + options.target + " in " + options.twins);
  const auto opencl = options.pocl ? OpenCl::make(BENCH_SOURCE_FOLDER "/list/kernels.cl", options.threads[0]) : nullptr;
  if (options.pocl && !opencl)
    throw std::runtime_error("there is no OpenCL device on the CPU, or none was there to build");
  const lanza::Current device(lanza::Device("cpu"));
  fmt::print("\n{}, {}, threads: {}; microseconds, least of {} s each, all interleaved; ms: to compile\n",
             lanza::current_device().name(), options.target, options.threads[0], options.seconds);
  fmt::print("{:<34} {:<10} {:>6} {:>10}", "", "engine", "ms", "lanza");
  for (const TwinLibrary& library : twins) fmt::print(" {:>10}", library.compiler);
  if (opencl) fmt::print(" {:>10}", "pocl");
  fmt::print(" {:>8} {:>5} {:>8} {:>9}\n", "ratio", "goal", "noise", "error");
  bool right = true;
  for (const auto& [part, unused] : parts) {
    if (!options.part.empty() && part != options.part) continue;
    Means means;
    right = run_part(part, twins, part == "list" ? opencl.get() : nullptr, options, means) && right;
    if (means.twins.count)
      fmt::print("{} {}: geomean of the ratios {:.2f}\n", means.twins.count, part, means.twins.value());
    if (means.pocl.count)
      fmt::print("{} by PoCL: {:.2f} times Lanza's time in geomean\n", means.pocl.count, means.pocl.value());
  }
  return right;
}

// The CPU device reads how many threads it may use once a process.
int run_each(char** argv, const std::vector<int>& threads) {
  for (const int count : threads) {
    std::string command;
    for (char** word = argv; *word; ++word) command += "'" + std::string(*word) + "' ";
    if (std::system((command + "--threads " + std::to_string(count)).c_str()) != 0) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Kernels on the CPU device against twins in C++");
  app.add_option("--threads", options.threads, "by default 1, then all")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "of each case; 0: results are only compared");
  app.add_option("--part", options.part, "list (whole kernels) or idioms")->check(CLI::IsMember(parts));
  app.add_option("--only", options.only, "cases whose name holds this text");
  app.add_option("--target", options.target, "native or x86-64-v3: of kernels and twins");
  app.add_option("--twins", options.twins, "folder of the twins' libraries")->check(CLI::ExistingDirectory);
  app.add_flag("--pocl", options.pocl, "the list by PoCL too");
  app.add_flag("--report", options.report, "what each kernel's report says, below its line");
  app.add_option("--json", options.json, "append the results to this file, a line each");
  CLI11_PARSE(app, argc, argv);
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (options.threads.size() != 1)
    return run_each(argv, options.threads.empty() ? std::vector{1, all} : options.threads);
  setenv("LANZA_CPU_THREADS", std::to_string(options.threads[0]).c_str(), 1);  // before the device is used
  setenv("LANZA_CACHE", "0", 0);                                               // so that compiling is seen
  setenv("LANZA_CPU_TARGET", options.target.c_str(), 1);
  try {
    return run(options) ? 0 : 1;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
