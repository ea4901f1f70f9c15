// Ends kernels that never come to a yield: a signal to the threads that run them.
#pragma once

namespace lanza::executor {

class GridRun;

/// The calling thread works on `run` as long as this lives, and can be called out of its kernel. Costs the kernel
/// nothing: nobody looks at a flag in its loops. Threads do not meet here: each notes it for itself.
class WorkOn {
 public:
  explicit WorkOn(const GridRun& run);
  ~WorkOn();
  WorkOn(const WorkOn&) = delete;
  WorkOn& operator=(const WorkOn&) = delete;

 private:
  const GridRun* before_;
};

/// Sends each thread that works on `run` the signal, upon which it leaves the code of a kernel whose launch was
/// stopped. A thread that is elsewhere at that moment (printf, malloc) does not: call again until none is left. False:
/// there was none.
bool interrupt_threads(const GridRun& run) noexcept;

}  // namespace lanza::executor
