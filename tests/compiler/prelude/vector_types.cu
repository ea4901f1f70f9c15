// Sizes and alignments of CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types").
#define CHECK(TYPE, SIZE, ALIGNMENT) static_assert(sizeof(TYPE) == SIZE && alignof(TYPE) == ALIGNMENT, #TYPE);
#define CHECK_ALL(NAME, SIZE, ALIGNMENT2, ALIGNMENT4) \
  CHECK(NAME##1, SIZE, SIZE)                          \
  CHECK(NAME##2, 2 * SIZE, ALIGNMENT2)                \
  CHECK(NAME##3, 3 * SIZE, SIZE)                      \
  CHECK(NAME##4, 4 * SIZE, ALIGNMENT4)
CHECK_ALL(char, 1, 2, 4)
CHECK_ALL(uchar, 1, 2, 4)
CHECK_ALL(short, 2, 4, 8)
CHECK_ALL(ushort, 2, 4, 8)
CHECK_ALL(int, 4, 8, 16)
CHECK_ALL(uint, 4, 8, 16)
CHECK_ALL(long, 8, 16, 16)
CHECK_ALL(ulong, 8, 16, 16)
CHECK_ALL(longlong, 8, 16, 16)
CHECK_ALL(ulonglong, 8, 16, 16)
CHECK_ALL(float, 4, 8, 16)
CHECK_ALL(double, 8, 16, 16)
CHECK(dim3, 12, 4)
CHECK(double4_16a, 32, 16)
CHECK(double4_32a, 32, 32)
CHECK(long4_16a, 32, 16)
CHECK(ulonglong4_32a, 32, 32)
static_assert(make_float4(1, 2, 3, 4).w == 4 && make_uchar3(1, 2, 3).z == 3, "make_");
static_assert(dim3(5).y == 1 && dim3(5, 6).z == 1, "dim3");
