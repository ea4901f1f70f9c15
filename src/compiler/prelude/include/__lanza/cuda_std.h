// Makes all of std that was included known as cuda::std: both are one library, and CUDA's own additions to it stand in
// cuda::std alone.
#pragma once

namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
