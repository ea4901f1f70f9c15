#include "runtime/plan.hpp"

namespace lanza::detail {

Plan::Plan(const Signature& signature) : bytes(signature.bytes), known(signature.known) {
  parameters.reserve(signature.parameters.size());
  for (const Parameter& p : signature.parameters) {
    const bool unnamed = p.dtype == DType::Opaque || (p.dtype == DType::Record && p.element_size == 0);
    const bool anything = p.kind == Parameter::Kind::Unknown ||
                          (p.kind == Parameter::Kind::Pointer && (unnamed || p.dtype == DType::UInt8));
    parameters.push_back({p.kind, p.dtype, p.read_only, anything, static_cast<std::uint32_t>(p.element_size),
                          static_cast<std::uint32_t>(p.offset), static_cast<std::uint32_t>(p.size)});
  }
}

}  // namespace lanza::detail
