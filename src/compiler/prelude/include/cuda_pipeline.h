// nvcuda::experimental::pipeline: the older name of a thread's own asynchronous copies, in batches.
#pragma once
#include <cuda_awbarrier.h>
#include <cuda_pipeline_primitives.h>

namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  __LANZA_FN pipeline() {}
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  __LANZA_FN size_t commit() { return batch_++; }
  __LANZA_FN void commit_and_wait() { commit(); }
  __LANZA_FN void wait(size_t) {}
  template <unsigned int prior>
  __LANZA_FN void wait_prior() {}
  __LANZA_FN void arrive_on(awbarrier& barrier) { __pipeline_arrive_on(&barrier.barrier_); }

 private:
  size_t batch_ = 0;
};

template <size_t n, class T>
__LANZA_FN auto segment(T* values) -> T (*)[n] {
  return reinterpret_cast<T(*)[n]>(values);
}

template <class T>
__LANZA_FN void memcpy_async(T& to, const T& from, pipeline&) {
  to = from;
}
// What the source does not have is zero.
template <class T, size_t to_size, size_t from_size>
__LANZA_FN void memcpy_async(T (*to)[to_size], const T (*from)[from_size], pipeline&) {
  static_assert(sizeof(*to) == 4 || sizeof(*to) == 8 || sizeof(*to) == 16, "4, 8 or 16 bytes are copied at once");
  static_assert(from_size <= to_size, "the source is no longer than what it is copied to");
  for (size_t i = 0; i < to_size; ++i) (*to)[i] = i < from_size ? (*from)[i] : T();
}

}  // namespace experimental
}  // namespace nvcuda
