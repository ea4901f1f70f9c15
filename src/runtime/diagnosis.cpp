// Gathers what the parts say of themselves.
#include <lanza/diagnosis.hpp>

#include "runtime/backends.hpp"

namespace lanza {

std::string_view version() noexcept { return LANZA_VERSION; }

std::vector<Diagnosis> diagnose() {
  const auto& backends = detail::backends();
  return {{"CUDA", backends.cuda().diagnosis()}, {"CPU", backends.cpu().diagnosis()}};
}

}  // namespace lanza
