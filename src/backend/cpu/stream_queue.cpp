// The ordered queue of a stream, and the thread that works it off.
#include "backend/cpu/stream_queue.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "backend/cpu/grid_run.hpp"

namespace lanza::executor {
namespace {

constexpr auto idle_time = std::chrono::seconds(5);  // then a stream gives its thread back

// Signals belong to the program's own threads; faults of the thread itself stay with it.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

 private:
  sigset_t old_;
};

}  // namespace

bool StreamQueue::try_begin() noexcept {
  std::lock_guard lock(progress_->mutex_);
  if (busy_ || !tasks_.empty()) return false;
  busy_ = true;
  progress_->submitted_.fetch_add(1, std::memory_order_release);
  return true;
}

void StreamQueue::end() noexcept {
  bool more;
  {
    std::lock_guard lock(progress_->mutex_);
    alone_.store(nullptr, std::memory_order_relaxed);
    busy_ = false;
    more = !tasks_.empty();
    progress_->done_.fetch_add(1, std::memory_order_release);
  }
  if (more) work_.notify_one();
  progress_->changed_.notify_all();
}

void StreamQueue::hand_over(std::shared_ptr<Task> task) {
  {
    std::lock_guard lock(progress_->mutex_);
    need_thread();
    tasks_.push_front(std::move(task));
    alone_.store(nullptr, std::memory_order_relaxed);
    busy_ = false;
  }
  work_.notify_one();
}

void StreamQueue::push(std::shared_ptr<Task> task) {
  {
    std::lock_guard lock(progress_->mutex_);
    need_thread();
    tasks_.push_back(std::move(task));
    progress_->submitted_.fetch_add(1, std::memory_order_release);
  }
  work_.notify_one();
}

void StreamQueue::need_thread() {
  if (has_thread_) return;
  BlockedSignals blocked;
  try {
    std::thread([self = shared_from_this()] { self->dispatch(); }).detach();
  } catch (const std::system_error& e) {
    throw Error(fmt::format(
        "the CPU device cannot start a thread for a stream: {}; end some threads or raise the limit (ulimit -u)",
        e.what()));
  }
  has_thread_ = true;
}

void StreamQueue::dispatch() noexcept {
  pthread_setname_np(pthread_self(), "lanza-stream");
  std::unique_lock lock(progress_->mutex_);
  for (;;) {
    work_.wait_for(lock, idle_time, [&] { return !busy_ && (!tasks_.empty() || abandoned_); });
    if (busy_) continue;
    if (tasks_.empty()) {
      has_thread_ = false;
      return;
    }
    Task& task = begin_first(lock);
    attempt([&] { task.run(*this); });
    end_running(lock);
  }
}

bool StreamQueue::run_here(const std::shared_ptr<Task>& task) noexcept {
  std::unique_lock lock(progress_->mutex_);
  if (busy_ || !tasks_.empty()) return false;
  try {
    tasks_.push_back(task);
  } catch (const std::bad_alloc&) {
    return false;
  }
  progress_->submitted_.fetch_add(1, std::memory_order_release);
  run_first_here(lock);
  return true;
}

void StreamQueue::work_off(std::chrono::steady_clock::time_point until) noexcept {
  if (progress_->idle()) return;
  std::unique_lock lock(progress_->mutex_);
  while (!busy_ && !tasks_.empty() && tasks_.front()->suits_caller() && std::chrono::steady_clock::now() < until)
    run_first_here(lock);
}

void StreamQueue::run_first_here(std::unique_lock<std::mutex>& lock) noexcept {
  Task& task = begin_first(lock);
  bool ended = true;
  attempt([&] { ended = task.run_on_caller(*this); });
  if (!ended) {
    lock.lock();
    try {
      need_thread();
      tasks_.push_front(std::move(running_));
      busy_ = false;
      work_.notify_one();
      return;
    } catch (const std::exception&) {
      lock.unlock();  // no thread can be made
      attempt([&] { task.run(*this); });
    }
  }
  end_running(lock);
  if (!tasks_.empty()) work_.notify_one();
}

// Lets go of the lock.
Task& StreamQueue::begin_first(std::unique_lock<std::mutex>& lock) noexcept {
  busy_ = true;
  running_ = std::move(tasks_.front());
  tasks_.pop_front();
  Task& task = *running_;
  lock.unlock();
  return task;
}

// Takes the lock.
void StreamQueue::end_running(std::unique_lock<std::mutex>& lock) noexcept {
  lock.lock();
  auto ended = std::move(running_);
  lock.unlock();
  ended.reset();  // what it owned is free before anybody sees it done
  lock.lock();
  busy_ = false;
  progress_->done_.fetch_add(1, std::memory_order_release);
  progress_->changed_.notify_all();
}

template <class Work>
void StreamQueue::attempt(Work work) noexcept {
  try {
    work();
  } catch (const LaunchError& e) {
    fail(e);
  } catch (const std::exception& e) {
    fail(LaunchError(e.what()));
  }
}

void StreamQueue::abandon() noexcept {
  {
    std::lock_guard lock(progress_->mutex_);
    abandoned_ = true;
  }
  work_.notify_one();
  printer_->abandon();
}

void StreamQueue::cancel() noexcept {
  std::lock_guard lock(progress_->mutex_);
  if (running_) running_->cancel();
  if (GridRun* run = alone_.load(std::memory_order_acquire)) {
    run->fail("cancelled");
    run->interrupt();
  }
  for (auto& task : tasks_) task->cancel();
}

void StreamQueue::fail(const LaunchError& error) noexcept {
  std::lock_guard lock(progress_->mutex_);
  if (!error_) error_ = error;
  failed_.store(true, std::memory_order_release);
}

std::optional<LaunchError> StreamQueue::take_error() {
  if (!failed_.load(std::memory_order_acquire)) return std::nullopt;
  std::lock_guard lock(progress_->mutex_);
  failed_.store(false, std::memory_order_relaxed);
  return std::exchange(error_, std::nullopt);
}

}  // namespace lanza::executor
