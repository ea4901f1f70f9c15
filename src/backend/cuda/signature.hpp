// A kernel's parameter list from what is known of it: the layout from PTX, the types from the mangled symbol or the
// source, the names from the source.
#pragma once

#include <lanza/signature.hpp>

#include "backend/backend.hpp"
#include "backend/cuda/ptx.hpp"
#include "backend/cuda/source_scan.hpp"

namespace lanza::cuda_backend {

/// `expression`: the name expression that the kernel's symbol was asked for by, or empty.
backend::KernelInfo describe_kernel(const PtxKernel&, const SourceSummary&, const std::string& expression);
backend::VariableInfo describe_variable(const PtxVariable&, const std::string& expression);

}  // namespace lanza::cuda_backend
