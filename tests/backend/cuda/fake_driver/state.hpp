// What the fake driver knows: its objects, its log, the failures it was asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/driver_api.hpp"
#include "backend/cuda/fake_driver/fake_driver.hpp"

namespace lanza::fake {

using namespace lanza::cuda_backend;

/// Anything with a handle. The handle is the object's address; memory's is the address of its bytes.
struct Object {
  std::string kind;     ///< "stream"
  int number = 0;       ///< counted by kind
  CUcontext context{};  ///< that it was made in; null for contexts
  int device = 0;
  std::size_t bytes = 0;   ///< memory
  CUmemoryPool pool{};     ///< memory: that it came from
  std::size_t cached = 0;  ///< pool: bytes freed and kept
  std::string image;       ///< module
  unsigned flags = 0;
  bool recorded = false;                            ///< event
  double time = 0;                                  ///< event, milliseconds
  int broken = 0;                                   ///< context: the code that every call answers
  int references = 0;                               ///< primary context
  std::map<std::string, std::uintptr_t> variables;  ///< module
  std::string name() const { return kind + "#" + std::to_string(number); }
};

struct Function {
  std::string symbol;
  CUcontext context{};
};

struct Failure {
  int first, count, code;
};

struct KernelModel {
  LanzaFakeKernel body = nullptr;
  void* user = nullptr;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;  ///< offset, size
  bool parameters_known = false;
};

struct State {
  std::mutex mutex;
  std::map<std::uintptr_t, Object> objects;  ///< live ones by handle
  std::map<std::string, int> numbers, calls;
  std::map<std::uintptr_t, Function> functions;
  std::map<std::string, Failure> failures;
  std::map<std::string, KernelModel> kernels;
  std::map<int, int> attributes;
  std::string log, violations;
  std::size_t memory = std::size_t{4} << 30;
  std::atomic<bool> quiet{false};
  bool initialised = false;

  /// Makes a live object and gives it its number.
  Object& add(std::uintptr_t handle, std::string kind);
  Object* find(std::uintptr_t handle, const char* kind);
  /// The allocation that holds [address, address + bytes), or null.
  Object* allocation(std::uintptr_t address, std::size_t bytes);
  /// "mem#1+16", "host", "stream#2"; unknown ones "?".
  std::string name(std::uintptr_t handle) const;
  std::size_t used(int device) const;
  void violation(const std::string& text) { violations += text + "\n"; }
};

State& state();
/// Contexts current on this thread, the last one on top.
std::vector<CUcontext>& stack();
int device_count();

template <class H>
std::uintptr_t key(H handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
inline std::uintptr_t key(std::uintptr_t handle) { return handle; }

/// A call in progress: holds the lock, counts and logs it, and knows whether it was asked to fail.
class Call {
 public:
  enum Needs { Nothing, Context };
  Call(const char* routine, const std::string& arguments, Needs needs = Context, bool logged = true);
  /// The code that this call must answer at once, or 0.
  int refused() const { return refused_; }
  CUresult done(int result);

 private:
  std::lock_guard<std::mutex> lock_;
  bool logged_;
  int refused_ = 0;
};

/// The name of an object, taken under the lock: for building a call's arguments before it starts.
template <class H>
std::string show(H handle) {
  std::lock_guard lock(state().mutex);
  return state().name(key(handle));
}

}  // namespace lanza::fake

/// Starts a call: returns from the routine when it has to fail.
#define LANZA_FAKE_CALL(call, ...)       \
  ::lanza::fake::Call call(__VA_ARGS__); \
  if (call.refused()) return call.done(call.refused())
