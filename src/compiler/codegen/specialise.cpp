#include "compiler/codegen/specialise.hpp"

namespace lanza::compiler {

Specialised specialise(const LanzaSpecialiseRequest&) noexcept {
  Specialised result;
  result.log = "the CPU code generator is not built yet";
  return result;
}

}  // namespace lanza::compiler
