// A launch: arguments bound by the kernel's plan, host memory copied, the backend called, results waited for.
#include <lanza/kernel.hpp>

#include <memory>

#include "runtime/argument_errors.hpp"
#include "runtime/bind.hpp"
#include "runtime/current_stack.hpp"
#include "runtime/host_arguments.hpp"
#include "runtime/records.hpp"

namespace lanza::detail {
namespace {

constexpr Caller plain_caller{};

backend::Launch request(const LaunchConfig& config, const std::byte* block, std::size_t bytes) {
  backend::Launch launch;
  launch.grid = config.grid;
  launch.block = config.block;
  launch.shared = config.shared;
  launch.arguments = block;
  launch.argument_bytes = bytes;
  launch.cooperative = config.cooperative;
  launch.timeout = config.timeout;
  return launch;
}

void wait(const Caller& caller, StreamRecord& stream) {
  if (caller.wait) return caller.wait(caller, stream);
  stream.synchronize();
}

// A kernel that works on the caller's memory must be done with it before an exception leaves.
class InPlaceGuard {
 public:
  InPlaceGuard(StreamRecord& stream, bool active) : stream_(stream), active_(active) {}
  ~InPlaceGuard() {
    if (!active_) return;
    try {
      stream_.synchronize();
    } catch (...) {  // what is on its way out says more
    }
  }
  InPlaceGuard(const InPlaceGuard&) = delete;
  InPlaceGuard& operator=(const InPlaceGuard&) = delete;
  void disarm() noexcept { active_ = false; }

 private:
  StreamRecord& stream_;
  bool active_;
};

// The launch of a kernel some of whose arguments are in host memory.
[[gnu::noinline]] void launch_on_host_ranges(const CallSite& site, const LaunchConfig& config, const Plan& plan,
                                             StreamRecord& stream, std::byte* block) {
  {
    HostArguments host(stream.context, stream, plan, site.arguments, config.wait);
    host.place(block);
    backend::Launch launch = request(config, block, plan.bytes);
    launch.caller_waits = host.must_wait();
    InPlaceGuard guard(stream, host.in_place());
    site.kernel.kernel->launch(stream.stream, launch);
    host.copy_back();
    guard.disarm();
    if (!host.must_wait()) return;
  }
  wait(site.caller, stream);
}

void launch_planned(const CallSite& site, const LaunchConfig& config, const Plan& plan) {
  constexpr std::size_t usual_bytes = 1024;
  alignas(16) std::byte usual[usual_bytes];
  std::unique_ptr<std::byte[]> large;
  std::byte* block = usual;
  if (plan.bytes > usual_bytes) [[unlikely]] {
    large = std::make_unique_for_overwrite<std::byte[]>(plan.bytes);
    block = large.get();
  }

  ContextRecord& context = *site.kernel.module.context;
  Binding binding{context, resolve(config.stream, context), block, site.caller.sizes_only};
  for (std::size_t i = 0; i < site.count; ++i) {
    const Mismatch mismatch = bind(plan.parameters[i], site.arguments[i], binding);
    if (mismatch != Mismatch::None) [[unlikely]]
      throw_mismatch(site, i, mismatch);
  }
  if (binding.has_host_ranges) return launch_on_host_ranges(site, config, plan, binding.stream, block);
  site.kernel.kernel->launch(binding.stream.stream, request(config, block, plan.bytes));
}

}  // namespace

void launch(KernelRecord& kernel, const LaunchConfig& config, const Argument* arguments, std::size_t count,
            const Caller* caller) {
  const CallSite site{kernel, caller ? *caller : plain_caller, arguments, count};
  if (config.block == Dim3(0, 0, 0)) [[unlikely]]
    throw_no_block(site);
  if (!kernel.plan.known) [[unlikely]]
    return launch_planned(site, config, plan_as_given(arguments, count));
  if (count != kernel.plan.parameters.size()) [[unlikely]]
    throw_count(site);
  launch_planned(site, config, kernel.plan);
}

}  // namespace lanza::detail
