// Control of the fake CUDA driver: a shared library that stands in for libcuda.so.1 in tests. Device memory is host
// memory, every call is recorded as a line of text, any call can be made to fail, and what is alive is counted.
//
// Use: link lanza_fake_driver_control and call lanza::fake::driver() before the first use of the CUDA backend: it sets
// LANZA_CUDA_DRIVER to the fake and loads it. Without C++: set LANZA_CUDA_DRIVER to lib/fake/libcuda.so.1 of the build,
// load the same file (ctypes.CDLL) and call the lanza_fake_* functions below.
//
// What is simulated: LANZA_FAKE_DEVICES devices (default 1; compute capability 9.0; 4 GiB each); a stack of current
// contexts per thread; a primary context per device; pools; work that is done when the call returns. A routine that
// needs a current context, or is handed a stale handle or one of another context, answers the error that the real
// driver gives. Copies and fills outside an allocation answer CUDA_ERROR_INVALID_VALUE. Kernels do nothing unless
// on_launch() gives them a body. A module knows the kernels and variables whose names stand in its image.
//
// The log, a call a line: `cuMemcpyHtoDAsync_v2(mem#2, host, 1600, stream#1)`, with ` -> 2` when the call failed with
// code 2. Objects are numbered by kind as they are made: ctx#1, primary#1, stream#1, event#1, pool#1, mem#1 (an address
// inside: mem#1+16), host#1 (page-locked memory), module#1; kernels show their symbol. A launch:
// `cuLaunchKernel(multiplicar, grid 1 1 1, block 400 1 1, shared 0, stream#1, 24 bytes 00f1...)` with the packed
// arguments in hex. Not logged: cuCtxGetCurrent, cuDeviceGetAttribute, cuFuncGetAttribute, cuFuncGetParamInfo and the
// routines that ask for versions and names.
#pragma once

#include <cstddef>
#include <string>

extern "C" {
/// Body of a kernel: the packed arguments, then grid and block (three extents each).
typedef void (*LanzaFakeKernel)(const void* arguments, size_t bytes, const unsigned* grid, const unsigned* block,
                                void* user);

const char* lanza_fake_log();  ///< valid until the next call of this function on this thread
void lanza_fake_clear_log();
/// The `first`-th call of the routine from now on (1: the next), and the count - 1 after it, answer `code` and do
/// nothing.
void lanza_fake_fail(const char* routine, int first, int count, int code);
void lanza_fake_clear_failures();
int lanza_fake_calls(const char* routine);  ///< since the log was cleared
/// Live objects of a kind: "ctx", "primary", "stream", "event", "pool", "mem", "host", "module"; null: all.
int lanza_fake_live(const char* kind);
/// Misuse seen so far, a line each: a context destroyed before what was made in it, memory freed twice. Empty: none.
const char* lanza_fake_violations();
/// From now on every call in the contexts that exist answers `code`, as after a kernel's fault. They can only be
/// destroyed.
void lanza_fake_break_contexts(int code);
void lanza_fake_set_memory(size_t bytes);                 ///< of each device
void lanza_fake_set_attribute(int attribute, int value);  ///< CUdevice_attribute, of every device
void lanza_fake_set_parameters(const char* kernel, const size_t* offsets, const size_t* sizes,
                               int count);                                        ///< for cuFuncGetParamInfo
void lanza_fake_on_launch(const char* kernel, LanzaFakeKernel body, void* user);  ///< null: nothing
/// 1: launches, and the making current of contexts around them, return at once, unchecked and unrecorded: what is
/// measured then is the caller.
void lanza_fake_quiet(int on);
/// Forgets log, failures, violations and kernel bodies; memory and attributes as at the start. Live objects stay; when
/// there are none, counting starts again.
void lanza_fake_reset();
}

namespace lanza::fake {

/// The control functions above, resolved from the library that was loaded.
struct Driver {
  decltype(&lanza_fake_log) log_text;
  decltype(&lanza_fake_clear_log) clear_log;
  decltype(&lanza_fake_fail) fail_calls;
  decltype(&lanza_fake_clear_failures) clear_failures;
  decltype(&lanza_fake_calls) calls;
  decltype(&lanza_fake_live) live;
  decltype(&lanza_fake_violations) violations_text;
  decltype(&lanza_fake_break_contexts) break_contexts;
  decltype(&lanza_fake_set_memory) set_memory;
  decltype(&lanza_fake_set_attribute) set_attribute;
  decltype(&lanza_fake_set_parameters) set_parameters;
  decltype(&lanza_fake_on_launch) on_launch;
  decltype(&lanza_fake_quiet) quiet;
  decltype(&lanza_fake_reset) reset;

  std::string log() const { return log_text(); }
  std::string violations() const { return violations_text(); }
  void fail(const char* routine, int code, int first = 1, int count = 1) const {
    fail_calls(routine, first, count, code);
  }
};

/// Sets LANZA_CUDA_DRIVER, loads the library and resolves its control functions. Aborts with a message when it is not
/// there.
const Driver& driver();

}  // namespace lanza::fake
