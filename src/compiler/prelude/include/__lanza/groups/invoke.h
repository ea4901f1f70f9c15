// invoke_one and invoke_one_broadcast: one member of a group calls a function.
#pragma once
#include <__lanza/groups/partition.h>

namespace cooperative_groups {

// Which member does it is not promised; here the first.
template <class Group, class Function, class... Arguments>
__LANZA_FN void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}

template <class Group, class Function, class... Arguments>
__attribute__((convergent)) __LANZA_FN auto invoke_one_broadcast(const Group& group, Function&& function,
                                                                 Arguments&&... arguments)
    -> __lanza_plain<decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...))> {
  typedef __lanza_plain<decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...))> Result;
  static_assert(!std::is_same<Result, void>::value, "a function without a result is for invoke_one");
  static_assert(__lanza_in_a_warp<Group>,
                "invoke_one_broadcast takes a coalesced_group or a thread_block_tile of at most 32 threads");
  Result result;
  if (group.thread_rank() == 0) result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
