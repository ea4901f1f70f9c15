// Memory orders, scopes and the operations that atomic, atomic_ref and atomic_flag are made of.
#pragma once
#include <type_traits>

namespace cuda {
namespace std {
enum class memory_order : int {
  relaxed = __ATOMIC_RELAXED,
  consume = __ATOMIC_CONSUME,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  acq_rel = __ATOMIC_ACQ_REL,
  seq_cst = __ATOMIC_SEQ_CST
};
constexpr memory_order memory_order_relaxed = memory_order::relaxed;
constexpr memory_order memory_order_consume = memory_order::consume;
constexpr memory_order memory_order_acquire = memory_order::acquire;
constexpr memory_order memory_order_release = memory_order::release;
constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
}  // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// One machine's memory serves all scopes; see __lanza_atomic_operations.
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

}  // namespace cuda

// What fetch_add adds to an object of type T: a T, or a distance.
template <class T>
struct __lanza_atomic_difference {
  typedef T type;
};
template <class T>
struct __lanza_atomic_difference<T*> {
  typedef decltype(static_cast<T*>(nullptr) - static_cast<T*>(nullptr)) type;
};

// The machine's atomic accesses are those of unsigned integers.
template <unsigned int Bytes>
struct __lanza_atomic_word;
template <>
struct __lanza_atomic_word<1> {
  typedef unsigned char type;
};
template <>
struct __lanza_atomic_word<2> {
  typedef unsigned short type;
};
template <>
struct __lanza_atomic_word<4> {
  typedef unsigned int type;
};
template <>
struct __lanza_atomic_word<8> {
  typedef unsigned long long type;
};

// Operations of the system's scope, which host code may take part in, are volatile (passes/retarget.hpp).
template <class T, bool OfSystem>
struct __lanza_atomic_seen {
  typedef volatile T type;
};
template <class T>
struct __lanza_atomic_seen<T, false> {
  typedef T type;
};

template <class T, bool OfSystem = true>
struct __lanza_atomic_operations {
  static_assert(::std::is_trivially_copyable<T>::value, "atomic objects hold trivially copyable values");
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "atomic objects of this size are not supported: values have 1, 2, 4 or 8 bytes");
  typedef typename __lanza_atomic_word<sizeof(T)>::type word;
  typedef typename __lanza_atomic_seen<T, OfSystem>::type seen_value;
  typedef typename __lanza_atomic_seen<word, OfSystem>::type seen_word;
  typedef cuda::std::memory_order order;
  typedef typename __lanza_atomic_difference<T>::type difference;

  // An order with a release makes no sense where nothing is stored.
  static __LANZA_FN int load_order(order o) {
    return o == order::acq_rel ? __ATOMIC_ACQUIRE : o == order::release ? __ATOMIC_RELAXED : static_cast<int>(o);
  }

  static __LANZA_FN T load(const T* address, order o) {
    return __builtin_bit_cast(T, __atomic_load_n(reinterpret_cast<const word*>(address), load_order(o)));
  }
  static __LANZA_FN void store(T* address, T value, order o) {
    __atomic_store_n(reinterpret_cast<word*>(address), __builtin_bit_cast(word, value), static_cast<int>(o));
  }
  static __LANZA_FN T exchange(T* address, T value, order o) {
    return __builtin_bit_cast(T, __atomic_exchange_n(static_cast<seen_word*>(reinterpret_cast<word*>(address)),
                                                     __builtin_bit_cast(word, value), static_cast<int>(o)));
  }
  static __LANZA_FN bool compare_exchange(T* address, T& expected, T value, bool weak, order success, order failure) {
    word found = __builtin_bit_cast(word, expected);
    bool done = __atomic_compare_exchange_n(static_cast<seen_word*>(reinterpret_cast<word*>(address)), &found,
                                            __builtin_bit_cast(word, value), weak, static_cast<int>(success),
                                            load_order(failure));
    if (!done) expected = __builtin_bit_cast(T, found);
    return done;
  }

  // What the machine has no instruction for.
  template <class Function>
  static __LANZA_FN T update(T* address, order o, Function function) {
    T old = load(address, order::relaxed);
    while (!compare_exchange(address, old, function(old), true, o, order::relaxed)) {
    }
    return old;
  }

  static __LANZA_FN T fetch_add(T* address, difference value, order o) {
    if constexpr (__is_pointer(T))
      return update(address, o, [&](T old) { return old + value; });
    else
      return __atomic_fetch_add(static_cast<seen_value*>(address), value, static_cast<int>(o));
  }
  static __LANZA_FN T fetch_sub(T* address, difference value, order o) {
    if constexpr (__is_pointer(T))
      return update(address, o, [&](T old) { return old - value; });
    else
      return __atomic_fetch_sub(static_cast<seen_value*>(address), value, static_cast<int>(o));
  }
  static __LANZA_FN T fetch_and(T* address, T value, order o) {
    return __atomic_fetch_and(static_cast<seen_value*>(address), value, static_cast<int>(o));
  }
  static __LANZA_FN T fetch_or(T* address, T value, order o) {
    return __atomic_fetch_or(static_cast<seen_value*>(address), value, static_cast<int>(o));
  }
  static __LANZA_FN T fetch_xor(T* address, T value, order o) {
    return __atomic_fetch_xor(static_cast<seen_value*>(address), value, static_cast<int>(o));
  }
  static __LANZA_FN T fetch_min(T* address, T value, order o) {
    if constexpr (__is_integral(T))
      return __atomic_fetch_min(static_cast<seen_value*>(address), value, static_cast<int>(o));
    else
      return update(address, o, [&](T old) { return value < old ? value : old; });
  }
  static __LANZA_FN T fetch_max(T* address, T value, order o) {
    if constexpr (__is_integral(T))
      return __atomic_fetch_max(static_cast<seen_value*>(address), value, static_cast<int>(o));
    else
      return update(address, o, [&](T old) { return old < value ? value : old; });
  }

  // The passes let other threads run in a loop that waits for them, so nobody needs a notification. As the standard
  // says, bytes decide.
  static __LANZA_FN void wait(const T* address, T old, order o) {
    while (__builtin_bit_cast(word, load(address, o)) == __builtin_bit_cast(word, old)) {
    }
  }
};
