// What a PTX text says about its kernels and variables: their symbols, and the layout of the kernels' parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanza::cuda_backend {

struct PtxParameter {
  std::string type;  ///< "u64", "f32"; "b8" with bytes > 1 for an aggregate
  std::size_t offset = 0, size = 0;
  bool aggregate = false;
};

struct PtxKernel {
  std::string symbol;
  std::vector<PtxParameter> parameters;
  std::size_t bytes = 0;          ///< of the packed argument block
  unsigned max_threads = 0;       ///< .maxntid, the product; 0: none
  std::size_t static_shared = 0;  ///< of variables inside the kernel
};

struct PtxVariable {
  std::string symbol;
  std::size_t size = 0;
  bool constant = false;
};

struct PtxSummary {
  std::vector<PtxKernel> kernels;
  std::vector<PtxVariable> variables;
};

/// Text that is no PTX gives an empty summary.
PtxSummary summarise_ptx(std::string_view);

}  // namespace lanza::cuda_backend
