// Where the output of device printf waits until somebody looks, as CUDA has it: until a stream is synchronised.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace lanza::executor {

/// The finished output of the launches of one stream, in their order. Thread-safe.
class Printer {
 public:
  static std::shared_ptr<Printer> make();  ///< also flushed when the process ends
  ~Printer();
  void append(std::string_view text);
  /// Hands everything to the sink (backend::set_print_sink).
  void flush() noexcept;
  /// Nobody will call flush any more: what comes is handed on at once.
  void abandon() noexcept;

 private:
  Printer() = default;
  std::mutex mutex_;
  std::string text_;
  std::atomic<bool> waits_{false};  // there is text: asked at each synchronisation
  bool abandoned_ = false;
};

/// The output of one launch: by block, in ascending order of blocks whatever their order in time. Thread-safe.
class GridOutput {
 public:
  void add(std::uint64_t block, std::string_view text);
  void to(Printer* printer) noexcept { printer_ = printer; }
  Printer* printer() const noexcept { return printer_; }
  /// Continues the output of a run that another one took over.
  void take_over(GridOutput& begun);
  /// The launch has ended: everything goes to the printer.
  void finish();

 private:
  void drain();
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> texts_;
  std::size_t bytes_ = 0;
  Printer* printer_ = nullptr;
};

}  // namespace lanza::executor
