"""curand_kernel.h: integers and uniform numbers with cuRAND's bits, the other distributions."""

import numpy as np
from harness import case
from random_model import GENERATORS, M1, Mrg32k3a, sobol

BEGIN = """
#include <curand_kernel.h>
#define THREAD (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
typedef curandStateNAME_t state;
"""
SEED = 0x9E3779B97F4A7C15

# What NVIDIA's own header gives (CUDA 13.0, its host code): seed, sequence, offset; three integers, the bits of a float
# and of a double, an integer after skipahead(1000003), one after skipahead_sequence(5).
KNOWN = {
    "XORWOW": (
        (0x0, 0x0, 0x0, (3179217846, 1883133293, 2220552389, 1042334112, 4602003430922930239, 2375563580, 3114012219)),
        (
            0x123456789ABCDEF,
            0x3FF,
            0x2DFDC1C35,
            (1666206891, 3975304630, 1091279753, 1061572048, 4603557796622650406, 469253660, 246847221),
        ),
        (
            0x2A,
            0xFFFFFFFFFFFF,
            0xFFFFFFFFFFFFFF,
            (2925223076, 309762488, 280119113, 1029622896, 4605589086725770154, 3409145372, 2678244803),
        ),
    ),
    "MRG32k3a": (
        (0x0, 0x0, 0x0, (545508615, 1368065476, 1327943825, 1062431411, 4597153079541435172, 1405436629, 2483700906)),
        (
            0x123456789ABCDEF,
            0x3FF,
            0x2DFDC1C35,
            (330343730, 131978529, 1660951306, 1057182917, 4604205024681999321, 3467676371, 1379709033),
        ),
        (
            0x2A,
            0xFFFFFFFFFFFF,
            0xFFFFFFFFFFFFFF,
            (1888462705, 2380820121, 49942080, 1056409481, 4600570024233676543, 941694192, 3302081812),
        ),
    ),
    "Philox4_32_10": (
        (0x0, 0x0, 0x0, (1713891541, 3781805453, 3159862348, 1058734300, 4606932389772394496, 4171914456, 2293420006)),
        (
            0x123456789ABCDEF,
            0x3FF,
            0x2DFDC1C35,
            (884643600, 851978280, 2486711495, 1061019545, 4602713506599403520, 3206109616, 3951573536),
        ),
        (
            0x2A,
            0xFFFFFFFFFFFF,
            0xFFFFFFFFFFFFFF,
            (3293271309, 888596027, 551771521, 1057771022, 4596124700840558592, 2204767485, 3797884930),
        ),
    ),
}


def source(name, text):
    return BEGIN.replace("NAME", name) + text


@case(each=list(GENERATORS))
def known_answers(run, name):
    """Seeds, sequences, offsets, skips and uniform numbers as NVIDIA's own header has them."""
    for seed, sequence, offset, expected in KNOWN[name]:
        out = np.zeros((run.threads, 7), np.uint64)
        run(
            source(
                name,
                """
                __global__ void __launch_bounds__(1024) k(unsigned long long* out, unsigned long long seed, unsigned long long sequence,
                                  unsigned long long offset) {
                  unsigned long long* mine = out + 7 * THREAD;
                  state s;
                  curand_init(seed, sequence, offset, &s);
                  for (int i = 0; i < 3; ++i) mine[i] = curand(&s);
                  mine[3] = __float_as_uint(curand_uniform(&s));
                  mine[4] = __double_as_longlong(curand_uniform_double(&s));
                  skipahead(1000003ull, &s);
                  mine[5] = curand(&s);
                  skipahead_sequence(5ull, &s);
                  mine[6] = curand(&s);
                }
                """,
            ),
            out,
            seed,
            sequence,
            offset,
        )
        run.same(out, np.broadcast_to(np.array(expected, np.uint64), out.shape), f"seed {seed:#x}")


@case(each=list(GENERATORS))
def integers(run, name):
    """A sequence for each thread, from an offset; then the thread skips as many numbers as its rank says."""
    out = np.zeros((run.threads, 8), np.uint32)
    run(
        source(
            name,
            """
            __global__ void __launch_bounds__(1024) k(unsigned* out, unsigned long long seed) {
              const unsigned t = THREAD;
              state s;
              curand_init(seed, t, 3 * t, &s);
              for (int i = 0; i < 6; ++i) out[8 * t + i] = curand(&s);
              skipahead(t, &s);
              out[8 * t + 6] = curand(&s);
              skipahead_sequence(t % 5, &s);
              out[8 * t + 7] = curand(&s);
            }
            """,
        ),
        out,
        SEED,
    )
    expected = []
    for t in range(run.threads):
        g = GENERATORS[name](SEED, t, 3 * t)
        row = [g.next() for _ in range(6)]
        g.skip(t)
        row.append(g.next())
        g.skip_sequence(t % 5)
        expected.append([*row, g.next()])
    run.same(out, expected)


@case(each=list(GENERATORS))
def states_in_memory(run, name):
    """States that one kernel makes and the next ones go on with; their size is cuRAND's."""
    size = 64 if name.startswith("Philox") else 48
    memory = np.zeros(run.threads, np.dtype((np.void, size)))
    out = np.zeros((2, run.threads), np.uint32)
    text = source(
        name,
        """
        static_assert(sizeof(state) == SIZE, "");
        __global__ void __launch_bounds__(1024) make(state* states) { curand_init(7, THREAD, 0, states + THREAD); }
        __global__ void __launch_bounds__(1024) draw(state* states, unsigned* out) {
          state local = states[THREAD];
          out[THREAD] = curand(&local);
          states[THREAD] = local;
        }
        """.replace("SIZE", str(size)),
    )
    run(text, memory, kernel="make")
    for row in out:
        run(text, memory, row, kernel="draw")
    generators = [GENERATORS[name](7, t) for t in range(run.threads)]
    run.same(out, [[g.next() for g in generators] for _ in range(2)])


def as_float(x):
    return np.float32(np.array(x, np.uint32)) * np.float32(2**-32) + np.float32(2**-33)


def as_double(x, y):
    return (np.array(x, np.uint64) ^ np.array(y, np.uint64) << np.uint64(21)) * 2.0**-53 + 2.0**-54


def draws(run, name, count, seed=SEED):
    """The first numbers of each thread's sequence, by number."""
    generators = [GENERATORS[name](seed, t) for t in range(run.threads)]
    return [[g.next() for g in generators] for _ in range(count)]


@case(each=list(GENERATORS))
def uniform(run, name):
    """curand_uniform and curand_uniform_double."""
    floats, doubles = np.zeros(run.threads, np.float32), np.zeros(run.threads)
    run(
        source(
            name,
            """
            __global__ void __launch_bounds__(1024) k(float* floats, double* doubles, unsigned long long seed) {
              state s;
              curand_init(seed, THREAD, 0, &s);
              floats[THREAD] = curand_uniform(&s);
              doubles[THREAD] = curand_uniform_double(&s);
            }
            """,
        ),
        floats,
        doubles,
        SEED,
    )
    if name == "MRG32k3a":
        generators = [Mrg32k3a(SEED, t) for t in range(run.threads)]
        raw = np.array([[float(g.raw()) for g in generators] for _ in range(2)]) * 2.3283065498378288e-10
        assert raw.max() <= 1 + 1 / M1
        run.same(floats, np.float32(raw[0]))
        run.same(doubles, raw[1])
        return
    x = draws(run, name, 3)
    run.same(floats, as_float(x[0]))
    run.same(doubles, as_double(x[1], x[2]) if name == "XORWOW" else np.array(x[1]) * 2.0**-32 + 2.0**-32)


@case
def four_at_a_time(run):
    """curand4, curand_uniform4 and curand_uniform2_double of Philox, from every place in its groups of four."""
    integers_, floats = np.zeros((run.threads, 4), np.uint32), np.zeros((run.threads, 4), np.float32)
    doubles = np.zeros((run.threads, 2))
    run(
        source(
            "Philox4_32_10",
            """
            __global__ void __launch_bounds__(1024) k(uint4* integers, float4* floats, double2* doubles) {
              state s;
              curand_init(99, 0, THREAD, &s);
              integers[THREAD] = curand4(&s);
              floats[THREAD] = curand_uniform4(&s);
              doubles[THREAD] = curand_uniform2_double(&s);
            }
            """,
        ),
        integers_.view(np.dtype((np.void, 16))).reshape(-1),
        floats.view(np.dtype((np.void, 16))).reshape(-1),
        doubles.view(np.dtype((np.void, 16))).reshape(-1),
    )
    rows = []
    for t in range(run.threads):
        g = GENERATORS["Philox4_32_10"](99, 0, t)
        rows.append([g.next() for _ in range(12)])
    x = np.array(rows)
    run.same(integers_, x[:, :4])
    run.same(floats, as_float(x[:, 4:8]))
    run.same(doubles, as_double(x[:, 8::2], x[:, 9::2]))


def directions(bits):
    """Direction vectors of a dimension of no sequence in particular: bit bits - 1 - k set, above it anything."""
    return [((0x9E3779B97F4A7C15 * (k + 1) >> 3) % 2**k << bits - k) | 1 << bits - 1 - k for k in range(bits)]


@case(each={"32": (32, False), "scrambled 32": (32, True), "64": (64, False), "scrambled 64": (64, True)})
def sobol_sequences(run, kind):
    """Sobol's sequences: each thread from its own offset, a skip, and a uniform number."""
    bits, scrambled = kind
    word = np.dtype(f"u{bits // 8}")
    vectors = np.array(directions(bits), word)
    out, floats = np.zeros((run.threads, 4), word), np.zeros(run.threads, np.float32)
    doubles = np.zeros(run.threads)
    c = 0x123456789ABCDEF1 >> 64 - bits if scrambled else 0
    run(
        """
        #include <curand_kernel.h>
        #define THREAD (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
        typedef WORD word;
        __global__ void __launch_bounds__(1024) k(word* vectors, word c, word* out, float* floats, double* doubles) {
          curandStateKINDSobolBITS_t s;
          curand_init(vectors, SCRAMBLE (word)(5 * THREAD), &s);
          for (int i = 0; i < 3; ++i) out[4 * THREAD + i] = curand(&s);
          skipahead((word)1000, &s);
          out[4 * THREAD + 3] = curand(&s);
          floats[THREAD] = curand_uniform(&s);
          doubles[THREAD] = curand_uniform_double(&s);
        }
        """.replace("WORD", "unsigned" if bits == 32 else "unsigned long long")
        .replace("KIND", "Scrambled" if scrambled else "")
        .replace("SCRAMBLE", "c," if scrambled else "")
        .replace("BITS", str(bits)),
        vectors,
        word.type(c),
        out,
        floats,
        doubles,
    )
    integers_, tail = [], []
    for t in range(run.threads):
        first = sobol([int(v) for v in vectors], c, 5 * t, 3)
        later = sobol([int(v) for v in vectors], c, 5 * t + 1003, 3)
        integers_.append([*first, later[0]])
        tail.append(later[1:])
    run.same(out, np.array(integers_, word))
    x = np.array(tail, word)
    run.same(floats, as_float(x[:, 0] >> word.type(bits - 32)))
    wide = np.float64(x[:, 1] >> np.uint64(11)) * 2.0**-53 + 2.0**-54 if bits == 64 else None
    run.same(doubles, x[:, 1] * 2.0**-32 + 2.0**-32 if wide is None else wide)


def box_muller(x, y):
    turn = np.float32(2**-32) * np.float32(6.2831855)
    angle = np.float64(np.float32(np.array(y, np.uint32)) * turn + turn / np.float32(2))
    radius = np.sqrt(-2 * np.log(np.float64(as_float(x))))
    return radius * np.sin(angle), radius * np.cos(angle)


def near(run, actual, expected, bound, what):
    """Absolute: near zero sine and cosine of cuRAND's fast kind have no relative accuracy."""
    run.same(np.abs(actual - expected) <= bound, np.ones(actual.shape, bool), f"{what} within {bound}")


@case(each=["XORWOW", "Philox4_32_10"])
def normal(run, name):
    """curand_normal and curand_log_normal, one by one and in pairs, by Box and Muller's method."""
    out = np.zeros((run.threads, 6), np.float32)
    run(
        source(
            name,
            """
            __global__ void __launch_bounds__(1024) k(float* out, unsigned long long seed) {
              float* mine = out + 6 * THREAD;
              state s;
              curand_init(seed, THREAD, 0, &s);
              mine[0] = curand_normal(&s); mine[1] = curand_normal(&s);
              float2 pair = curand_normal2(&s);
              mine[2] = pair.x; mine[3] = pair.y;
              mine[4] = curand_log_normal(&s, 0.5f, 0.25f); mine[5] = curand_log_normal(&s, 0.5f, 0.25f);
            }
            """,
        ),
        out,
        SEED,
    )
    x = draws(run, name, 6)
    pairs = [box_muller(x[i], x[i + 1]) for i in (0, 2, 4)]
    expected = [*pairs[0], *pairs[1], *(np.exp(0.5 + 0.25 * n) for n in pairs[2])]
    near(run, out, np.stack(expected, 1), 8e-6, "normal")


@case(each=["XORWOW", "Philox4_32_10", "MRG32k3a"])
def normal_double(run, name):
    """curand_normal_double and curand_log_normal_double, within 1e-14."""
    out = np.zeros((run.threads, 4))
    run(
        source(
            name,
            """
            __global__ void __launch_bounds__(1024) k(double* out, unsigned long long seed) {
              double* mine = out + 4 * THREAD;
              state s;
              curand_init(seed, THREAD, 0, &s);
              mine[0] = curand_normal_double(&s); mine[1] = curand_normal_double(&s);
              double2 pair = curand_log_normal2_double(&s, 0.5, 0.25);
              mine[2] = pair.x; mine[3] = pair.y;
            }
            """,
        ),
        out,
        SEED,
    )
    if name == "MRG32k3a":
        generators = [Mrg32k3a(SEED, t) for t in range(run.threads)]
        raw = np.array([[float(g.raw()) for g in generators] for _ in range(4)]) * 2.3283065498378288e-10
        uniforms = [(raw[0], raw[1]), (raw[2], raw[3])]
    else:
        x = draws(run, name, 8)
        uniforms = [(as_double(x[i], x[i + 1]), as_double(x[i + 2], x[i + 3])) for i in (0, 4)]
    pairs = []
    for u, v in uniforms:
        radius = np.sqrt(-2 * np.log(u))
        pairs += [radius * np.sin(2 * np.pi * v), radius * np.cos(2 * np.pi * v)]
    expected = [pairs[0], pairs[1], np.exp(0.5 + 0.25 * pairs[2]), np.exp(0.5 + 0.25 * pairs[3])]
    near(run, out, np.stack(expected, 1), 2e-14, "normal")


@case
def normal_from_sobol(run):
    """curand_normal of a quasirandom sequence: the inverse of the distribution, back through erfc."""
    vectors = np.array(directions(32), np.uint32)
    out, back = np.zeros(run.threads), np.zeros(run.threads)
    run(
        """
        #include <curand_kernel.h>
        #define THREAD (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
        __global__ void __launch_bounds__(1024) k(unsigned* vectors, double* out, double* back) {
          curandStateSobol32_t s;
          curand_init(vectors, THREAD + 1, &s);
          out[THREAD] = curand_normal_double(&s);
          back[THREAD] = 0.5 * erfc(-out[THREAD] * 0.70710678118654752);
        }
        """,
        vectors,
        out,
        back,
    )
    x = np.array([sobol([int(v) for v in vectors], 0, t + 1, 1)[0] for t in range(run.threads)], np.float64)
    near(run, back, x * 2.0**-32 + 2.0**-33, 1e-14, "probability")


@case(each={"3.5": 3.5, "63": 63.0, "100": 100.0, "3000": 3000.0, "100000": 1e5})
def poisson(run, mean):
    """curand_poisson: mean and variance of the numbers of all threads, for every method."""
    out = np.zeros((run.threads, 64), np.uint32)
    run(
        source(
            "XORWOW",
            """
            __global__ void __launch_bounds__(1024) k(unsigned* out, double mean) {
              state s;
              curand_init(5, THREAD, 0, &s);
              for (int i = 0; i < 64; ++i) out[64 * THREAD + i] = curand_poisson(&s, mean);
            }
            """,
        ),
        out,
        mean,
    )
    n = out.size
    average = abs(out.mean() - mean) / np.sqrt(mean / n)
    spread = abs(((out - mean) ** 2).mean() - mean) / np.sqrt((2 * mean**2 + mean) / n)
    what = f"{average:.1f} and {spread:.1f} standard deviations off"
    run.same(np.array([average < 5, spread < 5]), [True, True], what)
