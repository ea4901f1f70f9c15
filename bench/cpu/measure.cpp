// Times of a kernel and of its twins.
#include "measure.hpp"

#include <omp.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(const std::function<void()>& f) {
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Several runs in a row, two at least, so that each finds in the caches what it left there itself: on another core than
// the one before it, perhaps. Threads that have just done another's work spin for up to 10 ms, on the cores that this
// one's need: they are given time to go to sleep, and its own to wake up.
double least_in_a_row(const std::function<void()>& f, int threads) {
  if (threads > 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    for (const auto end = Clock::now() + std::chrono::milliseconds(2); Clock::now() < end;) f();
  }
  constexpr double enough = 2000;
  double least = INFINITY, sum = 0;
  for (int run = 0; run < 2 || (run < 8 && sum < enough); ++run) {
    const double time = microseconds(f);
    least = std::min(least, time);
    sum += time;
  }
  return least;
}

// The twin's work in so many chunks; each begins at a multiple of 16 units where there are as many.
void share_out(const Case& c, RunTwin run, int threads, int chunks, bool on_demand) {
  const int units = c.about.units, grain = units >= 16 * chunks ? 16 : 1;
  chunks = std::min(chunks, units);
  const auto at = [&](int k) {
    return k == chunks ? units : static_cast<int>(static_cast<long>(units) * k / chunks / grain * grain);
  };
  if (on_demand) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < chunks; ++i) run(at(i), at(i + 1), c.arguments.data());
  } else {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < chunks; ++i) run(at(i), at(i + 1), c.arguments.data());
  }
}

void run_twin(const Case& c, RunTwin run, int threads, bool on_demand) {
  for (int i = 0; i < c.about.launches; ++i) {
    if (c.number) *c.number = i;
    if (threads == 1)
      run(0, c.about.units, c.arguments.data());
    else
      share_out(c, run, threads, on_demand ? 8 * threads : threads, on_demand);
  }
}

std::string text_after(const std::string& report, const std::string& key) {
  const auto at = report.rfind("\"" + key + "\":");
  if (at == std::string::npos) return {};
  const auto begin = report.find_first_not_of('"', at + key.size() + 3);
  return report.substr(begin, report.find_first_of("\",}", begin) - begin);
}

double compile_milliseconds(const std::string& report) {
  double sum = 0;
  const auto phases = report.rfind("\"compile_ms\":{");
  if (phases == std::string::npos) return 0;
  const auto end = report.find('}', phases);
  for (auto at = phases + 13; (at = report.find("\":", at)) < end; at += 2)
    sum += std::strtod(report.c_str() + at + 2, nullptr);
  return sum;
}

struct Contender {
  std::string name;
  std::function<void()> run;
  double least = INFINITY;
};

}  // namespace

Result measure(const Case& c, const lanza::Kernel& kernel, const std::vector<TwinLibrary>& libraries, OpenCl* opencl,
               const Settings& settings) {
  Result result{.name = c.about.name, .goal = c.about.goal};
  const lanza::Stream stream = lanza::current_stream();
  const auto run_lanza = [&] {
    for (int i = 0; i < c.about.launches; ++i) c.launch(kernel, i);
    stream.synchronize();
  };
  std::vector<Contender> contenders{{"lanza", run_lanza}};
  for (const TwinLibrary& library : libraries) {
    const auto twin = library.twins.find(c.about.twin);
    if (twin == library.twins.end()) throw std::runtime_error("there is no twin " + c.about.twin);
    for (const bool on_demand : {false, true}) {
      if (on_demand && settings.threads == 1) continue;
      contenders.push_back({library.compiler, [&c, &settings, run = twin->second, on_demand] {
                              run_twin(c, run, settings.threads, on_demand);
                            }});
    }
  }

  // Results are compared once, from the same state.
  const auto compare = [&](const std::function<void()>& kernels, const std::function<void()>& twins) {
    c.reset();
    kernels();
    c.keep();
    c.reset();
    twins();
    const double error = c.error();
    if (!(error <= result.error)) result.error = error;
  };
  for (std::size_t i = 1; i < contenders.size(); ++i) compare(run_lanza, contenders[i].run);
  const std::size_t twin_count = contenders.size() - 1;
  if (const auto run = opencl ? opencl->runner(c) : nullptr) {
    compare(run, contenders[1].run);
    contenders.push_back({"pocl", run});
  }
  result.wrong = !(result.error <= c.about.tolerance);

  const std::string& report = result.report = kernel.report();
  result.engine = text_after(report, "engine");
  if (const std::string lanes = text_after(report, "lanes"); lanes != "0" && lanes != "1") result.engine += " " + lanes;
  result.compile_ms = compile_milliseconds(report);
  if (settings.seconds == 0) return result;

  double again = INFINITY;  // the faster twin's second measurement
  std::size_t fastest = 1;
  const auto end = Clock::now() + std::chrono::duration<double>(settings.seconds);
  for (int round = 0; round < 5 || Clock::now() < end; ++round) {
    for (Contender& contender : contenders)
      contender.least = std::min(contender.least, least_in_a_row(contender.run, settings.threads));
    if (round == 2)
      for (std::size_t i = 2; i <= twin_count; ++i)
        if (contenders[i].least < contenders[fastest].least) fastest = i;
    if (round >= 2) again = std::min(again, least_in_a_row(contenders[fastest].run, settings.threads));
  }
  for (const Contender& contender : contenders) {
    const auto [at, added] = result.least.emplace(contender.name, contender.least);
    if (!added) at->second = std::min(at->second, contender.least);
  }
  double baseline = again;
  for (std::size_t i = 1; i <= twin_count; ++i) baseline = std::min(baseline, contenders[i].least);
  result.ratio = contenders[0].least / baseline;
  result.noise = std::abs(contenders[fastest].least - again) / baseline;
  return result;
}

}  // namespace bench
