// Every function of the CUDA Math API is there with its own signature.
template <class T>
__device__ void take(T) {}
__global__ void api() {
#define NAME(RESULT, FUNCTION, PARAMETERS)  \
  {                                         \
    RESULT(*pointer) PARAMETERS = FUNCTION; \
    take(pointer);                          \
  }
#include "cuda_math_api.inc"
}
