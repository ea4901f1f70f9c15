// nvcuda::experimental::awbarrier: the older name of a barrier that is waited for apart from the arrival.
#pragma once
#include <cuda_awbarrier_primitives.h>

namespace nvcuda {
namespace experimental {

class awbarrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;
    __LANZA_FN unsigned int pending_count() const { return __mbarrier_token_pending_count(token_); }

   private:
    friend class awbarrier;
    __LANZA_FN explicit arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
  };

  awbarrier() = default;
  awbarrier(const awbarrier&) = delete;
  awbarrier& operator=(const awbarrier&) = delete;

  __LANZA_FN arrival_token arrive() { return arrival_token(__mbarrier_arrive(&barrier_)); }
  __LANZA_FN arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&barrier_)); }
  __LANZA_FN bool timed_wait(arrival_token token, unsigned int) {
    return __mbarrier_test_wait(&barrier_, token.token_);
  }
  __LANZA_FN bool timed_wait_parity(bool phase, unsigned int) { return __mbarrier_test_wait_parity(&barrier_, phase); }
  __LANZA_FN bool try_wait(arrival_token token, unsigned int nanoseconds) {
    return __mbarrier_try_wait(&barrier_, token.token_, nanoseconds);
  }
  __LANZA_FN bool try_wait_parity(bool phase, unsigned int nanoseconds) {
    return __mbarrier_try_wait_parity(&barrier_, phase, nanoseconds);
  }
  __LANZA_FN void wait(arrival_token token) {
    while (!__mbarrier_test_wait(&barrier_, token.token_)) {
    }
  }
  __LANZA_FN void arrive_and_wait() { wait(arrive()); }
  static constexpr __LANZA_HD unsigned int max() { return (1u << 20) - 1; }

 private:
  friend __LANZA_FN void init(awbarrier* barrier, unsigned int expected) {
    __mbarrier_init(&barrier->barrier_, expected);
  }
  friend __LANZA_FN void inval(awbarrier* barrier) { __mbarrier_inval(&barrier->barrier_); }
  friend class pipeline;
  __mbarrier_t barrier_;
};

}  // namespace experimental
}  // namespace nvcuda
