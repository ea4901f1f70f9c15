// The fake driver's log, failures and objects, and the functions that control it.
#include "backend/cuda/fake_driver/state.hpp"

#include <cstdlib>

namespace lanza::fake {

State& state() {
  static State* const instance = new State;
  return *instance;
}

std::vector<CUcontext>& stack() {
  thread_local std::vector<CUcontext> contexts;
  return contexts;
}

int device_count() {
  const char* text = std::getenv("LANZA_FAKE_DEVICES");
  return text ? std::atoi(text) : 1;
}

Object& State::add(std::uintptr_t handle, std::string kind) {
  Object& object = objects[handle];
  object = Object{};
  object.number = ++numbers[kind];
  object.kind = std::move(kind);
  if (!stack().empty()) {
    object.context = stack().back();
    if (const auto at = objects.find(key(object.context)); at != objects.end()) object.device = at->second.device;
  }
  return object;
}

Object* State::find(std::uintptr_t handle, const char* kind) {
  const auto at = objects.find(handle);
  return at != objects.end() && at->second.kind == kind ? &at->second : nullptr;
}

Object* State::allocation(std::uintptr_t address, std::size_t bytes) {
  auto at = objects.upper_bound(address);
  if (at == objects.begin()) return nullptr;
  --at;
  if (at->second.kind != "mem" || address + bytes > at->first + at->second.bytes) return nullptr;
  return &at->second;
}

std::string State::name(std::uintptr_t handle) const {
  if (!handle) return "null";
  auto at = objects.upper_bound(handle);
  if (at == objects.begin()) return "?";
  --at;
  if (at->first == handle) return at->second.name();
  if (handle < at->first + at->second.bytes) return at->second.name() + "+" + std::to_string(handle - at->first);
  return "?";
}

std::size_t State::used(int device) const {
  std::size_t total = 0;
  for (const auto& [handle, object] : objects)
    if (object.device == device) total += object.kind == "mem" ? object.bytes : object.cached;
  return total;
}

Call::Call(const char* routine, const std::string& arguments, Needs needs, bool logged)
    : lock_(state().mutex), logged_(logged) {
  State& s = state();
  ++s.calls[routine];
  if (logged) s.log += std::string(routine) + "(" + arguments + ")\n";
  if (const auto at = s.failures.find(routine); at != s.failures.end()) {
    Failure& failure = at->second;
    if (failure.first > 1) {
      --failure.first;
    } else if (failure.count > 0) {
      --failure.count;
      refused_ = failure.code;
    }
  }
  if (!refused_ && !s.initialised && std::string(routine) != "cuInit") refused_ = CUDA_ERROR_NOT_INITIALIZED;
  if (refused_ || needs == Nothing) return;
  if (stack().empty()) {
    refused_ = CUDA_ERROR_INVALID_CONTEXT;
  } else if (const auto at = s.objects.find(key(stack().back())); at == s.objects.end()) {
    refused_ = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  } else {
    refused_ = at->second.broken;
  }
}

CUresult Call::done(int result) {
  if (result != CUDA_SUCCESS && logged_) {
    state().log.pop_back();
    state().log += " -> " + std::to_string(result) + "\n";
  }
  return static_cast<CUresult>(result);
}

}  // namespace lanza::fake

using lanza::fake::state;

extern "C" {

const char* lanza_fake_log() {
  thread_local std::string copy;
  std::lock_guard lock(state().mutex);
  copy = state().log;
  return copy.c_str();
}

void lanza_fake_clear_log() {
  std::lock_guard lock(state().mutex);
  state().log.clear();
  state().calls.clear();
}

void lanza_fake_fail(const char* routine, int first, int count, int code) {
  std::lock_guard lock(state().mutex);
  state().failures[routine] = {first, count, code};
}

void lanza_fake_clear_failures() {
  std::lock_guard lock(state().mutex);
  state().failures.clear();
}

int lanza_fake_calls(const char* routine) {
  std::lock_guard lock(state().mutex);
  return state().calls[routine];
}

int lanza_fake_live(const char* kind) {
  std::lock_guard lock(state().mutex);
  int count = 0;
  for (const auto& [handle, object] : state().objects) count += !kind || object.kind == kind;
  return count;
}

const char* lanza_fake_violations() {
  thread_local std::string copy;
  std::lock_guard lock(state().mutex);
  copy = state().violations;
  return copy.c_str();
}

void lanza_fake_break_contexts(int code) {
  std::lock_guard lock(state().mutex);
  for (auto& [handle, object] : state().objects)
    if (object.kind == "ctx" || object.kind == "primary") object.broken = code;
}

void lanza_fake_set_memory(size_t bytes) {
  std::lock_guard lock(state().mutex);
  state().memory = bytes;
}

void lanza_fake_set_attribute(int attribute, int value) {
  std::lock_guard lock(state().mutex);
  state().attributes[attribute] = value;
}

void lanza_fake_set_parameters(const char* kernel, const size_t* offsets, const size_t* sizes, int count) {
  std::lock_guard lock(state().mutex);
  auto& model = state().kernels[kernel];
  model.parameters_known = true;
  model.parameters.clear();
  for (int i = 0; i < count; ++i) model.parameters.emplace_back(offsets[i], sizes[i]);
}

void lanza_fake_on_launch(const char* kernel, LanzaFakeKernel body, void* user) {
  std::lock_guard lock(state().mutex);
  state().kernels[kernel].body = body;
  state().kernels[kernel].user = user;
}

void lanza_fake_quiet(int on) { state().quiet = on != 0; }

void lanza_fake_reset() {
  std::lock_guard lock(state().mutex);
  auto& s = state();
  s.log.clear();
  s.calls.clear();
  s.violations.clear();
  s.failures.clear();
  s.kernels.clear();
  if (s.objects.empty()) s.numbers.clear();
  s.attributes.clear();
  s.memory = std::size_t{4} << 30;
  s.quiet = false;
}

}  // extern "C"
