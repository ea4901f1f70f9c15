"""<cuda/std/type_traits>: types that are asked about, and made from each other."""

import numpy as np
from harness import case


@case
def type_traits(run):
    """Traits choose code: sizes, signs, conversions, calls, common types."""
    out = np.zeros((run.threads, 8), np.int32)
    run(
        """
        #include <cuda/std/type_traits>
        namespace cs = cuda::std;
        struct Empty {};
        struct Final final { int x; };
        enum class Color : short { red };
        template <class T>
        __device__ cs::enable_if_t<cs::is_integral_v<T>, int> kind(T) { return 1; }
        template <class T>
        __device__ cs::enable_if_t<cs::is_floating_point_v<T>, int> kind(T) { return 2; }
        static_assert(cs::is_same_v<cs::decay_t<const int (&)[3]>, const int*>, "");
        static_assert(cs::is_same_v<cs::remove_cvref_t<const volatile long&>, long>, "");
        static_assert(cs::is_same_v<cs::make_unsigned_t<short>, unsigned short>, "");
        static_assert(cs::is_same_v<cs::underlying_type_t<Color>, short>, "");
        static_assert(cs::is_same_v<cs::conditional_t<(sizeof(int) > 2), int, char>, int>, "");
        static_assert(cs::is_same_v<cs::add_pointer_t<int&>, int*> && cs::is_same_v<cs::remove_extent_t<int[4]>, int>, "");
        static_assert(cs::is_empty_v<Empty> && !cs::is_empty_v<Final> && cs::is_final_v<Final> && cs::is_enum_v<Color>, "");
        static_assert(cs::is_convertible_v<int, double> && !cs::is_convertible_v<int*, double*>, "");
        static_assert(cs::is_constructible_v<Final, Final> && cs::is_trivially_copyable_v<Final>, "");
        static_assert(cs::is_same_v<cs::invoke_result_t<int (*)(float), float>, int>, "");
        static_assert(cs::conjunction_v<cs::true_type, cs::is_signed<int>> && cs::negation_v<cs::is_unsigned<int>>, "");
        static_assert(cs::rank_v<int[2][3]> == 2 && cs::extent_v<int[2][3], 1> == 3, "");
        static_assert(cs::is_base_of_v<Empty, Empty> && cs::is_array_v<int[1]> && cs::is_pointer_v<int*>, "");
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int* o = out + 8 * t;
          o[0] = kind(t); o[1] = kind(1.0f * t); o[2] = sizeof(cs::common_type_t<char, int, double>);
          o[3] = cs::is_same_v<cs::common_type_t<int, unsigned>, unsigned>; o[4] = cs::integral_constant<int, 7>::value;
          o[5] = cs::alignment_of_v<double>; o[6] = cs::disjunction_v<cs::is_void<int>, cs::is_class<Empty>>;
          o[7] = cs::is_invocable_v<void (*)(int), int>;
        }
        """,
        out,
    )
    run.same(out, np.tile([1, 2, 8, 1, 7, 8, 1, 1], (run.threads, 1)))
