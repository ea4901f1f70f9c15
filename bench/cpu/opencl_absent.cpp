// Built without OpenCL.
#include "opencl.hpp"

namespace bench {

std::unique_ptr<OpenCl> OpenCl::make(const std::string&, int) { return nullptr; }

}  // namespace bench
