// What the states of generators keep besides their own: Box and Muller's method makes two normal numbers at a time. The
// names and the place of the members are cuRAND's, whose states sources copy and allocate.
#pragma once

#define __LANZA_SPARE_NORMALS \
  int boxmuller_flag;         \
  int boxmuller_flag_double;  \
  float boxmuller_extra;      \
  double boxmuller_extra_double;

enum __lanza_spare_kind : int { __lanza_spare_none, __lanza_spare_normal, __lanza_spare_log_normal };

template <class State>
__LANZA_FN void __lanza_forget_spares(State* state) {
  state->boxmuller_flag = state->boxmuller_flag_double = __lanza_spare_none;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
