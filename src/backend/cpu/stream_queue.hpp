// The ordered queue of a stream, and the thread that works it off when the caller does not.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <lanza/error.hpp>

#include "backend/cpu/context_memory.hpp"
#include "backend/cpu/printer.hpp"
#include "backend/cpu/progress.hpp"

namespace lanza::executor {

class GridRun;
class StreamQueue;

/// Work in a stream. It owns all that it touches: it may run after every object of the user is gone.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run(StreamQueue&) = 0;
  virtual void cancel() noexcept {}  ///< from any thread, before or while it runs
  /// Short enough for a thread that waits for it, and might be interrupted, to run it itself.
  virtual bool suits_caller() const noexcept { return false; }
  /// run() in the thread of such a caller. False: it takes long after all, and goes on with run() in another thread.
  virtual bool run_on_caller(StreamQueue& queue) {
    run(queue);
    return true;
  }
};

/// Outlives its stream until the work is done; a process that ends does not wait for it. Thread-safe.
class StreamQueue : public std::enable_shared_from_this<StreamQueue> {
 public:
  /// `memory` lives as long as there may be work.
  explicit StreamQueue(std::shared_ptr<ContextMemory> memory)
      : memory_(std::move(memory)), progress_(std::make_shared<Progress>()), printer_(Printer::make()) {}

  /// True: the stream was idle and is the caller's, who does the next work itself and then calls end().
  bool try_begin() noexcept;
  void end() noexcept;
  /// That work is this run, until end() or hand_over(): what cancel() reaches.
  void runs_alone(GridRun& run) noexcept { alone_.store(&run, std::memory_order_release); }
  /// In place of end(): the caller's work goes on as `task`, before all that was pushed since. Throws Error, and the
  /// caller still has the stream, when no thread can be made.
  void hand_over(std::shared_ptr<Task> task);
  /// Throws Error, and nothing was pushed, when no thread can be made.
  void push(std::shared_ptr<Task> task);

  /// True: the stream was idle, and the task was begun on the calling thread and has ended there, or goes on in the
  /// stream's.
  bool run_here(const std::shared_ptr<Task>& task) noexcept;
  /// The caller is about to wait: it does what waits in the queue and suits it, rather than wait for a thread to wake
  /// up. Begins nothing after `until`.
  void work_off(std::chrono::steady_clock::time_point until) noexcept;

  void cancel() noexcept;
  /// The stream is gone: the thread ends with the work, and output is shown when it comes.
  void abandon() noexcept;
  /// Kept for the next synchronisation; only the first error is.
  void fail(const LaunchError& error) noexcept;
  std::optional<LaunchError> take_error();

  /// By turns true and false: launches that go through memory to and fro find what the last one left in the caches.
  bool turns() noexcept { return turns_.fetch_add(1, std::memory_order_relaxed) % 2 != 0; }

  const std::shared_ptr<Progress>& progress() const noexcept { return progress_; }
  const std::shared_ptr<Printer>& printer() const noexcept { return printer_; }
  ContextMemory& memory() const noexcept { return *memory_; }

 private:
  void need_thread();
  void dispatch() noexcept;
  Task& begin_first(std::unique_lock<std::mutex>& lock) noexcept;
  void end_running(std::unique_lock<std::mutex>& lock) noexcept;
  void run_first_here(std::unique_lock<std::mutex>& lock) noexcept;
  template <class Work>
  void attempt(Work work) noexcept;

  const std::shared_ptr<ContextMemory> memory_;
  std::shared_ptr<Progress> progress_;  // its mutex guards what follows
  std::shared_ptr<Printer> printer_;
  std::condition_variable work_;  // for the stream's thread only: waking it costs microseconds
  std::deque<std::shared_ptr<Task>> tasks_;
  std::shared_ptr<Task> running_;
  std::atomic<GridRun*> alone_{nullptr};  // set without the mutex by who has begun
  bool busy_ = false, has_thread_ = false, abandoned_ = false;
  std::optional<LaunchError> error_;
  std::atomic<unsigned> turns_{0};
  std::atomic<bool> failed_{false};  // there is an error: asked at each synchronisation
};

}  // namespace lanza::executor
