// What kernels may call: the table behind LanzaLaunch::services.
#pragma once

#include "compiler/kernel_abi.h"

namespace lanza::executor {

/// Static, one for the process.
extern const LanzaServices services;

}  // namespace lanza::executor
