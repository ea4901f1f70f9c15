// Ends kernels that never come to a yield: a signal to the threads that run them.
#pragma once

namespace lanza::executor {

class GridRun;

/// The calling thread works on `run` as long as this lives, and can be called out of its kernel. Costs the kernel
/// nothing: nobody looks at a flag in its loops. Threads do not meet here: each notes it for itself.
class WorkOn {
 public:
  enum class For {
    Stream,  ///< the program's own threads go on meanwhile
    Caller   ///< one of them waits for it: see ask_callers()
  };
  WorkOn(const GridRun& run, For whom);
  ~WorkOn();
  WorkOn(const WorkOn&) = delete;
  WorkOn& operator=(const WorkOn&) = delete;

 private:
  const GridRun* run_before_;
  For whom_before_;
};

/// Sends each thread that works on `run` the signal, upon which it leaves the code of a kernel whose launch was
/// stopped. A thread that is elsewhere at that moment (printf, malloc) does not: call again until none is left. False:
/// there was none.
bool interrupt_threads(const GridRun& run) noexcept;

/// To be called every few hundredths of a second: sends the signal to threads of the program that have been in the same
/// run since the last call. There they ask interrupt_check() whether the run is to end: a kernel that was expected to
/// be short keeps nobody from answering Ctrl-C. False: for a while nobody has run any; until somebody does, who calls
/// watch_callers(), there is nothing to call this for.
bool ask_callers() noexcept;

}  // namespace lanza::executor
