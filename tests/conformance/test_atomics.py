"""Atomic operations: every operation, type and scope, on global, shared and generic memory."""

import numpy as np
from harness import case, kernel

INTEGERS = {"int": np.int32, "unsigned int": np.uint32, "unsigned long long": np.uint64, "long long": np.int64}
SCOPES = ("", "_block", "_system")
GRID = 3


def random_integers(n, dtype, seed=0):
    return np.random.default_rng(seed).integers(0, 256, n * np.dtype(dtype).itemsize, np.uint8).view(dtype)


def combined(op, values, start):
    """The result of the operation over all values, in any order."""
    dtype = values.dtype
    every = np.append(values, dtype.type(start))
    return {
        "Add": lambda: np.add.reduce(every, dtype=dtype),
        "Sub": lambda: dtype.type(start) - np.add.reduce(values, dtype=dtype),
        "Min": lambda: every.min(),
        "Max": lambda: every.max(),
        "And": lambda: np.bitwise_and.reduce(every),
        "Or": lambda: np.bitwise_or.reduce(every),
        "Xor": lambda: np.bitwise_xor.reduce(every),
    }[op]()


OPERATIONS = {
    "int": ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"),
    "unsigned int": ("Add", "Sub", "Min", "Max", "And", "Or", "Xor"),
    "unsigned long long": ("Add", "Min", "Max", "And", "Or", "Xor"),
    "long long": ("Min", "Max"),
}
MEMORY = {
    "global": "T* p = result;",
    "shared": "__shared__ T s; T* p = &s; if (t == 0) s = result[0]; __syncthreads();",
    "generic": "__shared__ T s; if (t == 0) s = result[0]; __syncthreads(); T* p = where ? result : &s;",
}


@case(each=[f"{op} {name}" for name, ops in OPERATIONS.items() for op in ops])
def atomic(run, what):
    """Results and returned values of an operation on global memory by all threads of a grid, in each scope."""
    op, _, name = what.partition(" ")
    dtype = INTEGERS[name]
    for scope in SCOPES:
        n = run.threads * (1 if scope == "_block" else GRID)
        values, start = random_integers(n, dtype, 1), random_integers(2, dtype, 2)
        if op == "And":
            values |= np.array(0xFFFFFFF0 if dtype(0).itemsize == 4 else 0xFFFFFFFFFFFFFF0F, np.uint64).astype(dtype)
        if op == "Or":
            values &= values >> dtype(3) & values >> dtype(7)
        result, old = np.array([start[0], start[1]]), np.zeros(n, dtype)
        run(
            kernel(
                "T* result, T* old, const T* values",
                f"""
                const int g = blockIdx.x * n + t;
                old[g] = atomic{op}{scope}(&result[0], values[g]);
                """,
                f"typedef {name} T;",
            ),
            result,
            old,
            values,
            grid=n // run.threads,
        )
        with np.errstate(over="ignore"):
            run.same(result, [combined(op, values, start[0]), start[1]], f"result {scope}")
            # What is returned: every value that the variable went through; their number for commuting sums.
            if op in ("Add", "Sub", "Xor"):
                after = {"Add": np.add, "Sub": np.subtract, "Xor": np.bitwise_xor}[op](old, values)
                run.same(np.sort(np.append(after, start[0])), np.sort(np.append(old, result[0])), f"returned {scope}")
            else:
                first = old == start[0]
                assert first.any(), f"{op}{scope}: no thread saw the first value"


@case(
    each=[f"{op} {name}" for name in ("int", "unsigned long long") for op in ("Add", "Min", "Max", "And", "Or", "Xor")]
)
def atomic_in_shared_memory(run, what):
    """Operations on shared memory, and through pointers that may point there or to global memory."""
    op, _, name = what.partition(" ")
    dtype = INTEGERS[name]
    values, start = random_integers(run.threads, dtype, 3), random_integers(1, dtype, 4)
    for memory in MEMORY:
        for where in (0, 1):
            result = start.copy()
            run(
                kernel(
                    "T* result, const T* values, int where",
                    MEMORY[memory]
                    + f"""
                    atomic{op}(p, values[t]);
                    __syncthreads();
                    if (t == 0) result[0] = *p;
                    """,
                    f"typedef {name} T;",
                ),
                result,
                values,
                where,
            )
            with np.errstate(over="ignore"):
                run.same(result, combined(op, values, start[0]), memory)


@case(each=["int", "unsigned int", "unsigned long long", "float"])
def atomic_exchange(run, name):
    """atomicExch: each value that is stored is returned once or stays, in each scope."""
    dtype = np.float32 if name == "float" else INTEGERS[name]
    for scope in SCOPES:
        result, old = np.array([5], dtype), np.zeros(run.threads, dtype)
        run(
            kernel("T* result, T* old", f"old[t] = atomicExch{scope}(result, (T)(t + 10));", f"typedef {name} T;"),
            result,
            old,
        )
        expected = np.append(np.arange(run.threads) + 10, 5).astype(dtype)
        run.same(np.sort(np.append(old, result)), np.sort(expected), scope)


@case(each=["int", "unsigned int", "unsigned long long", "unsigned short"])
def atomic_cas(run, name):
    """atomicCAS: one thread succeeds, all others get what it stored; neighbours are left alone."""
    dtype = np.uint16 if name == "unsigned short" else INTEGERS[name]
    for scope in SCOPES if name != "unsigned short" else ("",):
        result, old = np.array([7, 7, 7, 7], dtype), np.zeros(run.threads, dtype)
        run(
            kernel(
                "T* result, T* old", f"old[t] = atomicCAS{scope}(result + 1, (T)7, (T)(t + 100));", f"typedef {name} T;"
            ),
            result,
            old,
        )
        winner = np.flatnonzero(old == 7)
        assert winner.size == 1, f"{winner.size} threads succeeded"
        run.same(result, [7, winner[0] + 100, 7, 7])
        run.same(np.delete(old, winner), winner[0] + 100)


@case(each=[2, 4])
def atomic_add_of_vectors(run, elements):
    """atomicAdd of float2 and float4 in global memory: each element by itself, sums that are exact in any order."""
    t = np.arange(run.threads)
    values = np.stack([(t % (17 - i) - 8) * 0.25 for i in range(elements)], axis=1).astype(np.float32)
    for scope in SCOPES:
        result, old = np.zeros(elements, np.float32), np.zeros((run.threads, elements), np.float32)
        run(
            kernel(
                "float* result, float* old, const float* values",
                f"((T*)old)[t] = atomicAdd{scope}((T*)result, ((const T*)values)[t]);",
                f"typedef float{elements} T;",
            ),
            result,
            old,
            values,
        )
        run.same(result, values.sum(axis=0))
        # Whoever came last found all but its own.
        for i in range(elements):
            assert np.isclose(old[:, i] + values[:, i], result[i]).any()


@case(each=["float", "double"])
def atomic_add_of_floats(run, name):
    """atomicAdd of floating point: sums that are exact in any order, in each scope."""
    dtype = np.dtype({"float": np.float32, "double": np.float64}[name])
    t = np.arange(run.threads)
    values = ((t % 17 - 8) * 0.25).astype(dtype)
    for scope in SCOPES:
        result, old = np.zeros(2, dtype), np.zeros(run.threads, dtype)
        run(
            kernel(
                "T* result, T* old, const T* values",
                f"""
                __shared__ T s;
                if (t == 0) s = 0;
                __syncthreads();
                old[t] = atomicAdd{scope}(&result[0], values[t]);
                atomicAdd{scope}(&s, -values[t]);
                __syncthreads();
                if (t == 0) result[1] = s;
                """,
                f"typedef {name} T;",
            ),
            result,
            old,
            values,
        )
        run.same(result + 0, [values.sum() + 0.0, -values.sum() + 0.0], scope)
        run.same(
            np.sort(np.append(old + values, 0)) + 0, np.sort(np.append(old, values.sum())) + 0, f"returned {scope}"
        )


@case(each=["Inc", "Dec"])
def atomic_inc_dec(run, op):
    """atomicInc and atomicDec wrap at their limit, in each scope."""
    for scope in SCOPES:
        for limit, start in ((6, 0), (0, 0), (5, 40), (0xFFFFFFFF, 3)):
            result, old = np.array([start], np.uint32), np.zeros(run.threads, np.uint32)
            run(
                kernel(
                    "unsigned* result, unsigned* old, unsigned limit", f"old[t] = atomic{op}{scope}(result, limit);"
                ),
                result,
                old,
                limit,
            )
            seen, value = [], start
            for _ in range(run.threads):
                seen.append(value)
                if op == "Inc":
                    value = 0 if value >= limit else value + 1
                else:
                    value = limit if value == 0 or value > limit else value - 1
            run.same(result, value, f"limit {limit}")
            run.same(np.sort(old), np.sort(np.array(seen, np.uint32)), f"returned, limit {limit}")


CAS_LOOPS = {
    "max of floats": (
        "float",
        "unsigned *p = (unsigned*)result, old = *p, seen;"
        "do { seen = old; old = atomicCAS(p, seen, __float_as_uint(fmaxf(__uint_as_float(seen), v))); } while (old != seen);",
        lambda v: v.max(),
    ),
    "product of doubles": (
        "double",
        "unsigned long long *p = (unsigned long long*)result, old = *p, seen; v = t % 2 ? 2.0 : 0.5;"
        "do { seen = old; old = atomicCAS(p, seen, __double_as_longlong(v * __longlong_as_double(seen))); } while (old != seen);",
        lambda v: 1.0 if v.size % 2 == 0 else 0.5,
    ),
    "a pair of two words": (
        "unsigned long long",
        "unsigned long long old = *result, seen, next;"
        "do { seen = old; next = ((seen >> 32) + t) << 32 | (unsigned)((unsigned)seen + 1u); old = atomicCAS(result, seen, next); } while (old != seen);",
        lambda v: (v.size * (v.size - 1) // 2 << 32) + v.size,
    ),
    "until one succeeds, not with the last seen": (
        "int",
        "for (;;) { const int seen = *(volatile int*)result; if (atomicCAS(result, seen, seen + 1) == seen) break; }",
        lambda v: v.size,
    ),
}


@case(each=CAS_LOOPS)
def cas_loop(run, what):
    """Operations that CUDA does not have, made of atomicCAS."""
    name, loop, expected = what
    dtype = {"float": np.float32, "double": np.float64, "int": np.int32, "unsigned long long": np.uint64}[name]
    values = np.random.default_rng(8).standard_normal(run.threads).astype(np.float32)
    result = np.array([1 if name == "double" else 0], dtype)
    if name == "float":
        result[0] = -np.inf
    run(
        kernel("T* result, const float* values", f"T v = values[t]; {loop}", f"typedef {name} T;"),
        result,
        values,
    )
    run.same(result, expected(values))


@case
def cas_of_bytes(run):
    """Atomic addition to single bytes by atomicCAS on the word around them."""
    counts = np.zeros(8, np.uint8)
    run(
        kernel(
            "unsigned char* counts",
            """
            unsigned char* at = counts + t % 7;
            unsigned* word = (unsigned*)((size_t)at & ~(size_t)3);
            const unsigned shift = ((size_t)at & 3) * 8;
            unsigned old = *word, seen;
            do {
              seen = old;
              const unsigned byte = (seen >> shift) + 3 & 255;
              old = atomicCAS(word, seen, seen & ~(255u << shift) | byte << shift);
            } while (old != seen);
            """,
        ),
        counts,
    )
    run.same(counts, np.append(np.bincount(np.arange(run.threads) % 7, minlength=7) * 3, 0))


@case
def cas_of_16_bits(run):
    """Both halves of a word changed by loops of 16-bit atomicCAS."""
    counts = np.zeros(4, np.uint16)
    run(
        kernel(
            "unsigned short* counts",
            """
            unsigned short* p = counts + t % 3; unsigned short old = *p, seen;
            do { seen = old; old = atomicCAS(p, seen, (unsigned short)(seen + 1000)); } while (old != seen);
            """,
        ),
        counts,
    )
    run.same(counts, np.append(np.bincount(np.arange(run.threads) % 3, minlength=3) * 1000, 0))


@case
def histogram(run):
    """A histogram in shared memory, added to the global one by every block."""
    data = np.random.default_rng(2).integers(0, 256, run.threads * 40).astype(np.uint8)
    counts = np.zeros(256, np.uint32)
    run(
        kernel(
            "unsigned* counts, const unsigned char* data, int size",
            """
            __shared__ unsigned local[256];
            for (int i = t; i < 256; i += n) local[i] = 0;
            __syncthreads();
            for (int i = blockIdx.x * n + t; i < size; i += gridDim.x * n) atomicAdd(&local[data[i]], 1u);
            __syncthreads();
            for (int i = t; i < 256; i += n) if (local[i]) atomicAdd(&counts[i], local[i]);
            """,
        ),
        counts,
        data,
        data.size,
        grid=4,
    )
    run.same(counts, np.bincount(data, minlength=256))


@case
def atomics_without_result(run):
    """Results that nobody uses, on members of structs and elements that the thread chooses."""
    out = np.zeros((5, 3), np.int32)
    run(
        kernel(
            "int* cells",
            """
            Cell* c = (Cell*)cells + t % 5;
            atomicAdd(&c->sum, t); atomicMax(&c->max, t); atomicOr(&c->bits, 1u << t % 31);
            """,
            "struct Cell { int sum, max; unsigned bits; };",
        ),
        out,
    )
    t = np.arange(run.threads)
    for c in range(5):
        mine = t[t % 5 == c]
        run.same(out[c], [mine.sum(), max(mine, default=0), np.bitwise_or.reduce(1 << mine % 31)] if mine.size else 0)


NOBODY_BESIDE = {
    "neighbours": "atomicAdd(&to[g], v);",
    "every third": "if (g % 3) atomicAdd(&to[g / 3 * 3], v);",
    "the same": "atomicAdd(&to[keys[g]], v);",
    "one": "atomicAdd(to, v);",
    "results": "to[size + g] = atomicAdd(&to[keys[g]], v);",
    "results of neighbours": "to[size + g] = atomicExch(&to[g ^ 5], v);",
    "retried": "int *p = (int*)&to[keys[g]], old = *p, seen;"
    "do { seen = old; old = atomicCAS(p, seen, __float_as_int(fmaxf(__int_as_float(seen), v))); } while (old != seen);",
    "retried by neighbours": "int *p = (int*)&to[g], old = *p, seen;"
    "do { seen = old; old = atomicCAS(p, seen, __float_as_int(__int_as_float(seen) + v)); } while (old != seen);",
    "exchanged by neighbours": "to[size + g] = __int_as_float(atomicCAS((int*)&to[g], 0, __float_as_int(v)));",
    "three of a record": "float* r = to + keys[g] / 3 * 3; atomicAdd(r, v); atomicAdd(r + 1, -v); atomicAdd(r + 2, 2 * v);",
    "along rows": "for (int i = keys[g] & ~7; i < (keys[g] & ~7) + keys[g] % 8; ++i) atomicAdd(&to[keys[i]], values[i]);",
    "in a loop": "for (int i = g; i < size; i += n) atomicAdd(&to[i], v);",
}


@case(each=list(NOBODY_BESIDE))
def atomics_of_launches_by_themselves(run, what):
    """Operations of launches that follow each other, once it is known that they are short: nobody takes turns."""
    size = (3 * run.threads - 1 | 7) + 1
    values = (np.arange(size) % 17 - 8).astype(np.float32) / 4
    keys = np.random.default_rng(3).integers(0, size, size).astype(np.int32)
    to, expected = np.zeros(2 * size, np.float32), np.zeros(2 * size, np.float32)
    source = kernel(
        "float* to, const int* keys, const float* values, int size",
        f"const int g = blockIdx.x * n + t; if (g >= size) return; const float v = values[g]; {NOBODY_BESIDE[what]}",
    )
    for _ in range(4):
        run(source, to, keys, values, size, grid=-(-size // run.threads), timeout=None)
        first, g = expected[:size], np.arange(size)
        match what:
            case "neighbours" | "retried by neighbours":
                first += values
            case "exchanged by neighbours":
                run.same(to[size:], first)
                first[first == 0] = values[first == 0]
            case "every third":
                np.add.at(first, (g // 3 * 3)[g % 3 != 0], values[g % 3 != 0])
            case "the same":
                np.add.at(first, keys, values)
            case "one":
                first[0] += values.sum()
            case "results":
                by_itself = np.bincount(keys)[keys] == 1
                run.same(to[size:][by_itself], first[keys][by_itself])
                np.add.at(first, keys, values)
            case "results of neighbours":
                run.same(to[size:], first[g ^ 5])
                first[g ^ 5] = values
            case "retried":
                np.maximum.at(first, keys, values)
            case "three of a record":
                for i, factor in enumerate((1, -1, 2)):
                    np.add.at(expected, keys // 3 * 3 + i, factor * values)
            case "along rows":
                for row in keys:
                    i = np.arange(row & ~7, (row & ~7) + row % 8)
                    np.add.at(first, keys[i], values[i])
            case "in a loop":
                for i in range(size):
                    first[i] += values[i % run.threads : i + 1 : run.threads].sum()
        run.same(to[:size], first)
