// The members that atomic and atomic_ref share. Where() gives the address of the value.
#pragma once
#include <__lanza/atomic_operations.h>

template <class T, class Where, bool OfSystem>
class __lanza_atomic_members {
  typedef __lanza_atomic_operations<T, OfSystem> operations;
  typedef cuda::std::memory_order order;

  __LANZA_FN T* address() const { return static_cast<const Where*>(this)->__lanza_address(); }

 public:
  typedef T value_type;
  typedef typename operations::difference difference_type;
  static constexpr bool is_always_lock_free = true;

  __LANZA_FN bool is_lock_free() const { return true; }
  __LANZA_FN T load(order o = order::seq_cst) const { return operations::load(address(), o); }
  __LANZA_FN operator T() const { return load(); }
  __LANZA_FN void store(T value, order o = order::seq_cst) const { operations::store(address(), value, o); }
  __LANZA_FN T exchange(T value, order o = order::seq_cst) const { return operations::exchange(address(), value, o); }

  __LANZA_FN bool compare_exchange_strong(T& expected, T value, order success, order failure) const {
    return operations::compare_exchange(address(), expected, value, false, success, failure);
  }
  __LANZA_FN bool compare_exchange_strong(T& expected, T value, order o = order::seq_cst) const {
    return compare_exchange_strong(expected, value, o, o);
  }
  __LANZA_FN bool compare_exchange_weak(T& expected, T value, order success, order failure) const {
    return operations::compare_exchange(address(), expected, value, true, success, failure);
  }
  __LANZA_FN bool compare_exchange_weak(T& expected, T value, order o = order::seq_cst) const {
    return compare_exchange_weak(expected, value, o, o);
  }

  __LANZA_FN T fetch_add(difference_type value, order o = order::seq_cst) const {
    return operations::fetch_add(address(), value, o);
  }
  __LANZA_FN T fetch_sub(difference_type value, order o = order::seq_cst) const {
    return operations::fetch_sub(address(), value, o);
  }
  __LANZA_FN T fetch_and(T value, order o = order::seq_cst) const { return operations::fetch_and(address(), value, o); }
  __LANZA_FN T fetch_or(T value, order o = order::seq_cst) const { return operations::fetch_or(address(), value, o); }
  __LANZA_FN T fetch_xor(T value, order o = order::seq_cst) const { return operations::fetch_xor(address(), value, o); }
  __LANZA_FN T fetch_min(T value, order o = order::seq_cst) const { return operations::fetch_min(address(), value, o); }
  __LANZA_FN T fetch_max(T value, order o = order::seq_cst) const { return operations::fetch_max(address(), value, o); }

  __LANZA_FN T operator+=(difference_type value) const { return fetch_add(value) + value; }
  __LANZA_FN T operator-=(difference_type value) const { return fetch_sub(value) - value; }
  __LANZA_FN T operator++() const { return fetch_add(1) + 1; }
  __LANZA_FN T operator--() const { return fetch_sub(1) - 1; }
  __LANZA_FN T operator++(int) const { return fetch_add(1); }
  __LANZA_FN T operator--(int) const { return fetch_sub(1); }
  __LANZA_FN T operator&=(T value) const { return fetch_and(value) & value; }
  __LANZA_FN T operator|=(T value) const { return fetch_or(value) | value; }
  __LANZA_FN T operator^=(T value) const { return fetch_xor(value) ^ value; }

  __LANZA_FN void wait(T old, order o = order::seq_cst) const { operations::wait(address(), old, o); }
  __LANZA_FN void notify_one() const {}
  __LANZA_FN void notify_all() const {}
};
