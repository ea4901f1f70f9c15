#include "runtime/host_arguments.hpp"

#include <cstring>

#include "runtime/bind.hpp"

namespace lanza::detail {
namespace {

using Mode = Argument::Mode;

bool overlap(const Argument::Range& a, const Argument::Range& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

}  // namespace

HostArguments::HostArguments(ContextRecord& context, StreamRecord& stream, const Plan& plan, const Argument* arguments,
                             bool wait)
    : context_(context), stream_(stream), plan_(plan), arguments_(arguments), wait_(wait) {}

HostArguments::~HostArguments() {
  for (const Copy& copy : copies_) context_.context->release(copy.device, copy.bytes, stream_.stream);
}

void HostArguments::place(std::byte* block) {
  for (std::size_t i = 0; i < plan_.parameters.size(); ++i) {
    const Argument& a = arguments_[i];
    if (a.kind != Argument::Kind::Host) continue;
    const Mode mode = effective_mode(plan_.parameters[i], a);
    backend::Pointer address = 0;
    if (a.range.bytes != 0) {
      if (mode != Mode::In) writes_ = true;
      if (may_use_in_place(i)) {
        in_place_ = true;
        address = a.range.address;
      } else {
        address = copy_in(a, mode);
      }
    }
    std::memcpy(block + plan_.parameters[i].offset, &address, sizeof address);
  }
}

backend::Pointer HostArguments::copy_in(const Argument& a, Mode mode) {
  copies_.reserve(plan_.parameters.size());  // so that nothing can fail between the allocation and its entry
  const backend::Pointer device = context_.context->allocate(a.range.bytes, stream_.stream);
  copies_.push_back({device, a.range.address, a.range.bytes, mode != Mode::In});
  if (mode != Mode::Out) {
    context_.context->copy(device, a.range.address, a.range.bytes, backend::Direction::HostToDevice, stream_.stream);
  }
  return device;
}

// On a GPU every range has a copy of its own, aligned for any vector type. In place only where a kernel cannot tell the
// difference.
bool HostArguments::may_use_in_place(std::size_t index) const {
  constexpr std::uintptr_t alignment = 16;  // of float4 and double2, as which kernels read arrays of smaller elements
  if (!context_.uses_host_memory) return false;
  const Argument& a = arguments_[index];
  const PlannedParameter& p = plan_.parameters[index];
  if (a.range.address % alignment != 0) return false;
  const Mode mode = effective_mode(p, a);
  // The kernel might write what the caller only lends; and without a wait the caller may change it while the kernel
  // reads.
  if (mode == Mode::In && (!p.read_only || !wait_)) return false;
  for (std::size_t i = 0; i < index; ++i) {
    const Argument& earlier = arguments_[i];
    if (earlier.kind != Argument::Kind::Host || !overlap(a.range, earlier.range)) continue;
    if (mode != Mode::In || effective_mode(plan_.parameters[i], earlier) != Mode::In) return false;
  }
  return true;
}

void HostArguments::copy_back() {
  for (const Copy& copy : copies_) {
    if (!copy.back) continue;
    context_.context->copy(copy.host, copy.device, copy.bytes, backend::Direction::DeviceToHost, stream_.stream);
  }
}

}  // namespace lanza::detail
