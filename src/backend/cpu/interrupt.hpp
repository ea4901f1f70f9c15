// Ends kernels that never come to a yield: a signal to the threads that run them.
#pragma once

#include <pthread.h>

#include <mutex>

namespace lanza::executor {

/// The threads that work on one launch, so that they can be called out of its kernel. Costs the kernel nothing: nobody
/// looks at a flag in its loops.
class InterruptibleThreads {
 public:
  /// The calling thread works on the launch as long as this lives.
  class Inside {
   public:
    explicit Inside(InterruptibleThreads& threads);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    friend class InterruptibleThreads;
    InterruptibleThreads& threads_;
    pthread_t thread_ = pthread_self();
    Inside* next_ = nullptr;
  };

  /// Sends each thread the signal, upon which it leaves the code of a kernel whose launch was stopped. A thread that is
  /// elsewhere at that moment (printf, malloc) does not: call again until none is left. False: there was none.
  bool interrupt() noexcept;

 private:
  std::mutex mutex_;
  Inside* first_ = nullptr;
};

}  // namespace lanza::executor
