// What Kernel.signature returns.
#pragma once

#include <lanza/signature.hpp>

#include <string>

namespace lanza::python {

/// A signature and whose it is, so that it prints as a declaration.
struct KernelSignature {
  std::string kernel;
  Signature signature;
};

}  // namespace lanza::python
