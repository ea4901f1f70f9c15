"""half and bfloat16: to and from floats, doubles, integers and bits; pairs taken apart and put together."""

import numpy as np
from harness import case
from sixteen_bits import EVERY, HALF, MODES, both

INTEGERS = {
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "ll": np.int64,
    "ull": np.uint64,
}
TYPES = {"ushort": "unsigned short", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}


def every_float(form):
    """Each value, each midpoint of neighbours, and what is just beside them; random floats."""
    values = form.decode(EVERY[np.isfinite(form.decode(EVERY))])
    middle = values + np.ldexp(0.5, np.maximum(np.frexp(values)[1] - form.precision, form.lowest))
    with np.errstate(invalid="ignore"):
        floats = np.concatenate([values, middle]).astype(np.float32)
    beside = [np.nextafter(floats, np.float32(direction)) for direction in (np.inf, -np.inf)]
    random = np.random.default_rng(5).integers(0, 1 << 32, 50000, np.uint32).view(np.float32)
    return np.concatenate([floats, *beside, random, np.float32([np.inf, -np.inf, np.nan, 65520, 3.4e38])])


@case(each=both(["", "_rn", "_rz", "_ru", "_rd"]), blocks=[1, 256, (7, 5, 1)])
def from_float(run, value):
    """__float2half in each rounding: values, ties, what is beside them, random bits."""
    form, mode = value
    floats = every_float(form)
    out = form.array(np.zeros(floats.size))
    run(
        form.source("__global__ void k(const float* in, T* out, int n) { EACH(i, n) out[i] = __float2half_M(in[i]); }")
        .replace("_M(", f"{mode}("),
        floats, out, floats.size,
    )  # fmt: skip
    form.same(run, out, form.encode(floats.astype(float), mode[1:] or "rn"))


@case(each=both(), blocks=[1, 256, (7, 5, 1)])
def from_double(run, form):
    """__double2half and the constructor round once, also where a float would be a tie."""
    floats = every_float(form)[::7].astype(float)
    doubles = np.concatenate([np.nextafter(floats, 1e300), np.nextafter(floats, -1e300), floats * (1 + 2.0**-40)])
    function, constructor = form.array(np.zeros(doubles.size)), form.array(np.zeros(doubles.size))
    run(
        form.source(
            """
            __global__ void k(const double* in, T* out, T* made, int n) {
              EACH(i, n) { out[i] = __double2half(in[i]); made[i] = T(in[i]); }
            }
            """
        ),
        doubles, function, constructor, doubles.size,
    )  # fmt: skip
    form.same(run, function, form.encode(doubles))
    form.same(run, constructor, form.encode(doubles), "constructor")


@case(each=both())
def to_float(run, form):
    """__half2float, the conversion to float and double, __low2float and __high2float of every value."""
    outs = [np.zeros(65536, np.float32) for _ in range(5)]
    doubles = np.zeros(65536)
    run(
        form.source(
            """
            __global__ void k(const T* in, float* f, float* implicit, double* d, float* low, float* high, float2* both) {
              EACH(i, 65536) { f[i] = __half2float(in[i]); implicit[i] = in[i]; d[i] = in[i]; }
              const T2* pairs = (const T2*)in;
              EACH(i, 32768) {
                low[i] = __low2float(pairs[i]); high[i] = __high2float(pairs[i]); both[i] = __half22float2(pairs[i]);
              }
            }
            """
        ),
        form.array(EVERY), outs[0], outs[1], doubles, outs[2], outs[3], outs[4].view(np.complex64),
    )  # fmt: skip
    wanted = form.decode(EVERY)
    for out in (outs[0], outs[1], doubles, outs[4]):
        run.same(out, wanted)
    run.same(outs[2][:32768], wanted[::2])
    run.same(outs[3][:32768], wanted[1::2])


@case(each=both(), blocks=[1, 33, 256])
def computed_as_float(run, form):
    """Halves computed with as floats and stored again, compared and counted: every NaN is the one of its type."""
    first, second = EVERY, np.roll(EVERY, 257)
    out, kind = form.array(np.zeros(first.size)), np.zeros(first.size, np.int32)
    run(
        form.source(
            """
            __global__ void k(const T* in, const T* other, T* out, int* kind, int n) {
              EACH(i, n) {
                float a = __half2float(in[i]), b = __half2float(other[i]), sum = a;
                for (int k = 0; k < 2; ++k) sum += b > 1.0f ? -b : fminf(b, 4.0f);
                out[i] = __float2half(sum);
                kind[i] = (sum < a ? 1 : sum >= a ? 2 : 4) + (b != b ? 8 : 0) + (signbit(a) ? 16 : 0);
              }
            }
            """
        ),
        form.array(first), form.array(second), out, kind, first.size,
    )  # fmt: skip
    with np.errstate(invalid="ignore", over="ignore"):
        a, b = form.decode(first).astype(np.float32), form.decode(second).astype(np.float32)
        term = np.where(b > 1, -b, np.where(np.isnan(b), np.float32(4), np.fmin(b, np.float32(4))))
        total = (a + term) + term
    run.same(out.view(np.uint16), form.encode(total.astype(float)))
    own_nan = np.isnan(a) & (form.word == "half")  # a bfloat16 is the upper half of a float, a NaN's sign too
    sign = np.where(own_nan, False, first >> 15)
    wanted = np.where(total < a, 1, np.where(total >= a, 2, 4)) + 8 * np.isnan(b) + 16 * sign
    run.same(kind, wanted.astype(np.int32))


def integers(form, dtype):
    """All of 16 bits; of more, those around each power of two and what the type can tell apart, and random ones."""
    if np.dtype(dtype).itemsize == 2:
        return np.arange(65536, dtype=np.uint16).view(dtype)
    bits = 8 * np.dtype(dtype).itemsize
    powers = [
        (1 << k) + d * (1 << max(k - form.precision, 0)) + e
        for k in range(bits - 1)
        for d in range(4)
        for e in (-1, 0, 1)
    ]
    limits = np.iinfo(dtype)
    values = [v * s for v in powers for s in (1, -1)] + [limits.min, limits.max, limits.max - 1]
    wide = np.random.default_rng(6).integers(limits.min, limits.max, 3000, dtype, endpoint=True)
    shifted = wide >> np.random.default_rng(7).integers(0, bits, 3000).astype(dtype)
    return np.concatenate([np.array([v for v in values if limits.min <= v <= limits.max], dtype), wide, shifted])


def to_odd(values):
    """Integers as doubles, inexact ones with an odd last place: a second rounding is then the only one."""
    exact = [int(v) for v in values]
    doubles = []
    for v in exact:
        excess = max(abs(v).bit_length() - 53, 0)
        kept = abs(v) >> excess | (abs(v) & ((1 << excess) - 1) != 0)
        doubles.append(float(kept << excess) * (-1 if v < 0 else 1))
    return np.array(doubles)


@case(each=both({f"{name} {mode}": (name, mode) for name in INTEGERS for mode in MODES}), blocks=[1, 256, (7, 5, 1)])
def from_integer(run, value):
    """__int2half and its kind, each type in each rounding; the constructors round to nearest."""
    form, (name, mode) = value
    numbers = integers(form, INTEGERS[name])
    out, made = form.array(np.zeros(numbers.size)), form.array(np.zeros(numbers.size))
    run(
        form.source(
            """
            __global__ void k(const I* in, T* out, T* made, int n) {
              EACH(i, n) { out[i] = __I2half_M(in[i]); made[i] = in[i]; }
            }
            """
        )
        .replace("I*", f"{TYPES.get(name, name if name != 'll' else 'long long')}*")
        .replace("__I2", f"__{name}2")
        .replace("_M(", f"_{mode}("),
        numbers, out, made, numbers.size,
    )  # fmt: skip
    doubles = to_odd(numbers)
    form.same(run, out, form.encode(doubles, mode))
    form.same(run, made, form.encode(doubles), "constructor")


def rounded_integer(values, mode, dtype):
    """Rounded, then the nearest that the type has; NaN is 0, of 64 bits the highest bit."""
    limits = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        whole = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}[mode](values)
        inside = (whole >= float(limits.min)) & (whole < float(limits.max) + (np.dtype(dtype).itemsize < 8))
        result = np.where(inside, whole, 0).astype(dtype)
    result = np.where(whole > limits.max / 2, np.where(inside, result, limits.max), result)
    result = np.where((whole < 0) & ~inside, limits.min, result)
    return np.where(np.isnan(values), 1 << 63 if np.dtype(dtype).itemsize == 8 else 0, result.astype(object))


@case(each=both({f"{name} {mode}": (name, mode) for name in INTEGERS for mode in MODES}), blocks=[1, 256, (7, 5, 1)])
def to_integer(run, value):
    """__half2int and its kind of every value, each type in each rounding."""
    form, (name, mode) = value
    out = np.zeros(65536, INTEGERS[name])
    run(
        form.source("__global__ void k(const T* in, I* out) { EACH(i, 65536) out[i] = __half2I_M(in[i]); }")
        .replace("I*", f"{TYPES.get(name, name)}*")
        .replace("2I_M", f"2{name}_{mode}"),
        form.array(EVERY), out,
    )  # fmt: skip
    run.same(out, rounded_integer(form.decode(EVERY), mode, INTEGERS[name]))


@case(each=both())
def few_bits_far_out(run, form):
    """Integers of few significant bits that a compiler sees: beyond the largest value they are infinite, there and back."""
    floats, integers = np.zeros(65536, np.float32), np.zeros(65536, np.int32)
    run(
        form.source(
            """
            __global__ void k(const unsigned char* in, float* floats, int* integers) {
              EACH(i, 65536) {
                unsigned large = unsigned(in[i & 255]) << (i >> 8 & 31);
                unsigned known = unsigned(in[i & 255]) << 24;
                floats[i] = __half2float(__float2half_rn(float(i >> 13 ? large : known)));
                integers[i] = __half2int_rn(__float2half_rn(float(int(known))));
              }
            }
            """
        ),
        np.arange(256, dtype=np.uint8), floats, integers,
    )  # fmt: skip
    i = np.arange(65536)
    known = (i & 255).astype(np.uint32) << 24
    large = np.where(i >> 13, (i & 255).astype(np.uint32) << (i >> 8 & 31).astype(np.uint32), known)
    run.same(floats, form.decode(form.encode(large.astype(float))).astype(np.float32))
    halves = form.decode(form.encode(known.view(np.int32).astype(float)))
    run.same(integers, rounded_integer(halves, "rn", np.int32), "integers")


@case(each=both({"char": np.int8, "uchar": np.uint8}))
def to_bytes(run, value):
    """__half2char_rz and __half2uchar_rz of every value."""
    form, dtype = value
    out = np.zeros(65536, dtype)
    name, kind = ("char", "signed char") if dtype is np.int8 else ("uchar", "unsigned char")
    run(
        form.source("__global__ void k(const T* in, I* out) { EACH(i, 65536) out[i] = __half2I_rz(in[i]); }")
        .replace("I*", f"{kind}*")
        .replace("2I_rz", f"2{name}_rz"),
        form.array(EVERY), out,
    )  # fmt: skip
    run.same(out, rounded_integer(form.decode(EVERY), "rz", dtype))


IMPLICIT = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}


def convert_implicitly(run, form, kind, dtype):
    out, back = np.zeros(65536, dtype), form.array(np.zeros(65536))
    run(
        form.source("__global__ void k(const T* in, I* out, T* back) { EACH(i, 65536) { I v = in[i]; out[i] = v; back[i] = T(v); } }")
        .replace("I*", f"{kind}*")
        .replace("I v", f"{kind} v"),
        form.array(EVERY), out, back,
    )  # fmt: skip
    wanted = rounded_integer(form.decode(EVERY), "rz", dtype)
    run.same(out, wanted)
    mask, signed = (1 << 8 * np.dtype(dtype).itemsize) - 1, np.dtype(dtype).kind == "i"
    values = [v - (mask + 1 if signed and v > mask // 2 else 0) for v in (int(w) & mask for w in wanted)]
    form.same(run, back, form.encode(to_odd(values)), "back")


@case(each=both(list(IMPLICIT)))
def implicit_integer(run, value):
    """Conversion of every value to each integer type: towards zero, and back by the constructor."""
    form, kind = value
    convert_implicitly(run, form, kind, IMPLICIT[kind])


@case(
    each=both(["long", "unsigned long"]),
    cpu_only=True,
    reason="NVRTC 13 declares these conversions and has no code for them",
)
def implicit_long(run, value):
    """The same for long."""
    form, kind = value
    convert_implicitly(run, form, kind, {"long": np.int64, "unsigned long": np.uint64}[kind])


@case(each=both())
def truth(run, form):
    """Zeros are false, all else is true."""
    out = np.zeros(65536, np.uint8)
    run(
        form.source("__global__ void k(const T* in, bool* out) { EACH(i, 65536) out[i] = in[i] ? true : false; }"),
        form.array(EVERY), out.view(bool),
    )  # fmt: skip
    run.same(out, (EVERY & 0x7FFF) != 0)


@case(each=both())
def bits(run, form):
    """__half_as_ushort, __ushort_as_half, the signed ones and the raw structures keep every bit."""
    out = np.zeros((5, 65536), np.uint16)
    run(
        form.source(
            """
            __global__ void k(const T* in, unsigned short* a, short* b, T* c, T* d, T* e) {
              EACH(i, 65536) {
                a[i] = __half_as_ushort(in[i]);
                b[i] = __half_as_short(in[i]);
                c[i] = __ushort_as_half(a[i]);
                d[i] = __short_as_half(b[i]);
                RAW raw = in[i];
                e[i] = raw;
              }
            }
            """
        ).replace("RAW", "__half_raw" if form is HALF else "__nv_bfloat16_raw"),
        form.array(EVERY), out[0], out[1].view(np.int16), form.array(out[2]), form.array(out[3]), form.array(out[4]),
    )  # fmt: skip
    run.same(out, np.broadcast_to(EVERY, (5, 65536)))


@case(each=both())
def pairs(run, form):
    """Pairs put together, taken apart, swapped and mixed."""
    n = run.threads
    a, b = (np.random.default_rng(n + k).integers(0, 0x7000, (n, 2), np.uint16) for k in (0, 1))
    results = [np.zeros((n, 2), np.uint16) for _ in range(11)]
    run(
        form.source(
            """
            __global__ void k(const T2* a, const T2* b, T2* r0, T2* r1, T2* r2, T2* r3, T2* r4, T2* r5, T2* r6, T2* r7,
                              T2* r8, T2* r9, T2* r10) {
              const int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              T2 x = a[i], y = b[i];
              r0[i] = __halves2half2(x.x, y.y);
              r1[i] = make_half2(y.x, x.y);
              r2[i] = __half2half2(x.y);
              r3[i] = __low2half2(x);
              r4[i] = __high2half2(x);
              r5[i] = __lows2half2(x, y);
              r6[i] = __highs2half2(x, y);
              r7[i] = __lowhigh2highlow(x);
              r8[i] = T2(__low2half(y), __high2half(x));
              r9[i] = __floats2half2_rn(__low2float(x), __high2float(y));
              r10[i] = __float22half2_rn(__half22float2(__float2half2_rn(__low2float(y))));
            }
            """
        ),
        form.array(a).view("V4"), form.array(b).view("V4"), *(form.array(r).view("V4") for r in results),
    )  # fmt: skip
    x, y = a.T, b.T
    wanted = [(x[0], y[1]), (y[0], x[1]), (x[1], x[1]), (x[0], x[0]), (x[1], x[1]), (x[0], y[0]), (x[1], y[1])]
    wanted += [(x[1], x[0]), (y[0], x[1]), (x[0], y[1]), (y[0], y[0])]
    for k, (got, want) in enumerate(zip(results, wanted, strict=True)):
        run.same(got, np.stack(want, 1), f"r{k}")


@case(blocks=[1, 256, (7, 5, 1)])
def between_the_types(run):
    """half to bfloat16 and back, by the explicit constructors."""
    from sixteen_bits import BFLOAT16

    there, back = BFLOAT16.array(np.zeros(65536)), HALF.array(np.zeros(65536))
    run(
        """
        #include <cuda_bf16.h>
        __global__ void k(const __half* h, const __nv_bfloat16* b, __nv_bfloat16* there, __half* back) {
          for (int i = threadIdx.x + blockDim.x * threadIdx.y; i < 65536; i += blockDim.x * blockDim.y) {
            there[i] = __nv_bfloat16(h[i]);
            back[i] = __half(b[i]);
          }
        }
        """,
        HALF.array(EVERY), BFLOAT16.array(EVERY), there, back,
    )  # fmt: skip
    BFLOAT16.same(run, there, BFLOAT16.encode(HALF.decode(EVERY)))
    HALF.same(run, back, HALF.encode(BFLOAT16.decode(EVERY)))


@case
def integers_by_way_of_halves(run):
    """An integer that becomes a half and an integer again, of which two bounds are asked: the second under a mask."""
    source = """
    #include <cuda_fp16.h>
    __global__ void k(unsigned* out, const int* in, int n) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int v;
      memcpy(&v, &n, sizeof v);
      out[2 * t] = __float2uint_rz(__half2float(__int2half_rn(v)));
      out[2 * t + 1] = __float2uint_rz(__half2float(__int2half_rn(in[t])));
    }
    """
    values = np.resize(np.array([1, -1, 0, 7, 2049, 65504, 65520, 2**31 - 1, -(2**31)], np.int32), run.threads)

    def wanted(values):
        with np.errstate(over="ignore"):
            halves = values.astype(np.float32).astype(np.float16).astype(np.float64)
        return np.clip(halves, 0, 2**32 - 1).astype(np.uint32)

    for n in (1, -5, 100000):
        out = np.zeros((run.threads, 2), np.uint32)
        run(source, out, values, n)
        both = np.stack([np.broadcast_to(wanted(np.array([n], np.int32)), values.shape), wanted(values)], axis=1)
        run.same(out, both, f"n {n}")
