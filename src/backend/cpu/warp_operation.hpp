// What a warp operation computes, once all its members have arrived.
#pragma once

#include <cstdint>

#include "compiler/kernel_abi.h"

namespace lanza::executor {

/// The operands of the members, by lane; results are written over them.
struct WarpOperation {
  std::uint32_t kind = 0;     ///< LanzaSyncKind, from LANZA_SYNC_WARP to LANZA_SYNC_REDUCE
  std::uint32_t members = 0;  ///< live lanes of the mask
  std::uint16_t aux[32];      ///< shuffle: source lane; reduce: LanzaReduce
  std::uint64_t value[32];

  void compute() noexcept;
};

}  // namespace lanza::executor
