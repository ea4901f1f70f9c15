// size_t, ptrdiff_t and NULL are there without it.
#pragma once
#define offsetof(type, member) __builtin_offsetof(type, member)
typedef struct {
  alignas(16) long long integer;
  alignas(16) double real;
} max_align_t;
