// Where the output of device printf waits until somebody looks.
#include "backend/cpu/printer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "support/log.hpp"

namespace lanza::executor {
namespace {

// What may wait unseen, a launch and a stream. Beyond it text is written at once, still in order of what has ended.
constexpr std::size_t waiting_bytes = std::size_t{8} << 20;

// Never destroyed: threads may still print while the process ends.
struct Sinks {
  std::mutex mutex;
  std::function<void(std::string_view)> sink;
  std::vector<std::weak_ptr<Printer>> printers;

  static Sinks& get() {
    static Sinks& sinks = *[] {
      auto* made = new Sinks;
      std::atexit([] { Sinks::get().flush_all(); });
      return made;
    }();
    return sinks;
  }
  void flush_all() noexcept {
    std::vector<std::weak_ptr<Printer>> all;
    {
      std::lock_guard lock(mutex);
      all = printers;
    }
    for (auto& weak : all) {
      if (auto printer = weak.lock()) printer->flush();
    }
  }
  void write(std::string_view text) noexcept {
    std::function<void(std::string_view)> to;
    try {
      {
        std::lock_guard lock(mutex);
        to = sink;
      }
      if (to) return to(text);
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    } catch (const std::exception& e) {
      log::warning("the output of a kernel's printf is lost: {}", e.what());
    }
  }
};

}  // namespace

std::shared_ptr<Printer> Printer::make() {
  std::shared_ptr<Printer> printer(new Printer);
  Sinks& sinks = Sinks::get();
  std::lock_guard lock(sinks.mutex);
  std::erase_if(sinks.printers, [](const auto& weak) { return weak.expired(); });
  sinks.printers.push_back(printer);
  return printer;
}

Printer::~Printer() { flush(); }

void Printer::append(std::string_view text) {
  bool now;
  {
    std::lock_guard lock(mutex_);
    text_ += text;
    waits_.store(true, std::memory_order_release);
    now = abandoned_ || text_.size() > waiting_bytes;
  }
  if (now) flush();
}

void Printer::flush() noexcept {
  if (!waits_.load(std::memory_order_acquire)) return;
  std::string text;
  {
    std::lock_guard lock(mutex_);
    waits_.store(false, std::memory_order_relaxed);
    text.swap(text_);
  }
  if (!text.empty()) Sinks::get().write(text);
}

void Printer::abandon() noexcept {
  {
    std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  flush();
}

void GridOutput::add(std::uint64_t block, std::string_view text) {
  std::lock_guard lock(mutex_);
  texts_[block] += text;
  bytes_ += text.size();
  if (bytes_ > waiting_bytes) drain();
}

void GridOutput::take_over(GridOutput& begun) {
  texts_.swap(begun.texts_);
  std::swap(bytes_, begun.bytes_);
}

void GridOutput::finish() {
  if (texts_.empty()) return;  // nobody adds any more
  std::lock_guard lock(mutex_);
  drain();
}

void GridOutput::drain() {
  for (const auto& [block, text] : texts_) {
    if (printer_) printer_->append(text);
  }
  texts_.clear();
  bytes_ = 0;
}

}  // namespace lanza::executor

namespace lanza::backend {

void set_print_sink(std::function<void(std::string_view)> sink) {
  auto& sinks = executor::Sinks::get();
  std::lock_guard lock(sinks.mutex);
  sinks.sink = std::move(sink);
}

}  // namespace lanza::backend
