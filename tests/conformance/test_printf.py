"""printf in kernels: every conversion, flag, width, precision and size that CUDA names."""

import numpy as np
from harness import case, kernel

BLOCKS = [1, 31, 33, 100, 256, (3, 5, 7)]
INTEGERS = "%d|%i|%5d|%-6d|%05d|%+d|% d|%.4d|%8.3d"


def printed(run, source, *args, **more):
    """What a launch prints, its lines sorted: the order of threads is not said."""
    with run.printed() as lines:
        run(source, *args, **more)
    return sorted(lines)


def check(run, format_, arguments, expected):
    """One line a thread, which begins with its number."""
    lines = printed(run, kernel("", f'printf("%d: {format_}\\n", t, {arguments});'))
    assert lines == sorted(f"{t}: {expected(t)}" for t in range(run.threads))


@case(blocks=BLOCKS)
def signed_integers(run):
    """%d and %i with width, precision and every flag."""
    values = ", ".join(["t * 37 - 300"] * 9)
    check(run, INTEGERS, values, lambda t: INTEGERS % ((t * 37 - 300,) * 9))


@case(blocks=BLOCKS)
def unsigned_integers(run):
    """%u, %o, %x, %X, with # and 0."""
    form = "%u|%o|%x|%X|%#x|%#o|%08x|%-8X|%#10x"
    python = form.replace("%u", "%d").replace("%#o", "0%o")

    def expected(t):
        value = t * 2654435761 & 0xFFFFFFFF
        # C has no prefix for 0.
        text = python % ((value,) * 9)
        return text if value else "0|0|0|0|0|0|00000000|0       |         0"

    check(run, form, ", ".join(["t * 2654435761u"] * 9), expected)


@case(blocks=BLOCKS)
def sizes_of_integers(run):
    """%hd, %ld, %lld, %llu, %lx, %llX: 16 and 64 bits."""

    def expected(t):
        value = t * 0x123456789AB - (1 << 40)
        unsigned = value & 0xFFFFFFFFFFFFFFFF
        small = np.int64(t * 3000).astype(np.int16)
        return f"{small}|{value}|{value}|{unsigned}|{unsigned:x}|{unsigned:X}|{value:+20d}"

    value = "t * 0x123456789abll - (1ll << 40)"
    arguments = f"(short)(t * 3000), (long)({value}), {value}, (unsigned long long)({value}), (unsigned long)({value}), (unsigned long long)({value}), {value}"
    check(run, "%hd|%ld|%lld|%llu|%lx|%llX|%+20lld", arguments, expected)


@case(blocks=BLOCKS, each=["e", "E", "f", "g", "G"])
def floats(run, letter):
    """Floating point with width, precision and flags; floats are printed as doubles."""
    form = f"%{letter}|%.3{letter}|%12.4{letter}|%-12.2{letter}|%+{letter}|%012.3{letter}|%.0{letter}|%#.0{letter}"

    def expected(t):
        return form % ((t * 1.7e3 - 55.5,) * 7 + (float(np.float32(t) * np.float32(0.1)),))

    check(run, form, ", ".join(["t * 1.7e3 - 55.5"] * 7) + ", t * 0.1f", expected)


@case(blocks=BLOCKS)
def hexadecimal_floats(run):
    """%a and %A."""

    def expected(t):
        text = float(t + 0.5).hex().replace("p", " p").split()
        text = text[0].rstrip("0").rstrip(".") + text[1]
        return f"{text}|{text.upper()}"

    check(run, "%a|%A", "t + 0.5, t + 0.5", expected)


@case(blocks=BLOCKS)
def special_floats(run):
    """Infinities and NaNs."""
    values = ("inf", "-inf", "nan")
    source = kernel("const float* v", 'printf("%d: %f|%5.1f|%G\\n", t, v[t % 2], v[(t + 1) % 2], v[2]);')
    lines = printed(run, source, np.array([np.inf, -np.inf, np.nan], np.float32))
    expected = [f"{t}: {values[t % 2]}|{values[(t + 1) % 2]:>5}|NAN" for t in range(run.threads)]
    assert [line.replace("-NAN", "NAN") for line in lines] == sorted(expected)


@case(blocks=BLOCKS)
def characters_and_strings(run):
    """%c, %s with width and precision, strings of constant memory and of arrays, %%."""
    source = kernel(
        "",
        """
        const char* names[3] = {"one", "", "a longer name"};
        printf("%d: %c|%3c|%-3c|%s|%8s|%-8s|%.2s|%5.1s|%%|%s\\n", t, 'a' + t % 26, 'x', 'y', names[t % 3], names[0], names[0], names[2], names[2], text);
        """,
        '__constant__ char text[] = "constant";',
    )

    def expected(t):
        name = ("one", "", "a longer name")[t % 3]
        return f"{t}: {chr(97 + t % 26)}|  x|y  |{name}|     one|one     |a |    a|%|constant"

    assert printed(run, source) == sorted(expected(t) for t in range(run.threads))


@case(blocks=BLOCKS)
def width_from_an_argument(run):
    """%*d: the width is an argument, a negative one means left."""
    check(
        run,
        "%*d|%*s|%*.2f",
        't % 9, t, t % 7 - 3, \\"ab\\", 8, t * 0.5'.replace("\\", ""),
        lambda t: f"{t:{t % 9 or ''}d}|{'ab':{'>' if t % 7 >= 3 else '<'}{abs(t % 7 - 3) or ''}}|{t * 0.5:8.2f}",
    )


@case(blocks=BLOCKS)
def pointers(run):
    """%p: the address that the thread sees."""
    out = np.zeros(run.threads, np.uint64)
    memory = run.on_device(out)
    lines = printed(
        run, kernel("unsigned long long* out", 'out[t] = (size_t)(out + t); printf("%d: %p\\n", t, out + t);'), memory
    )
    addresses = run.contents(memory)
    run.same(np.diff(addresses), 8)
    seen = dict(line.split(": ") for line in lines)
    assert {int(t): int(a, 16) for t, a in seen.items()} == dict(enumerate(addresses.tolist()))


@case(blocks=BLOCKS)
def results_of_printf(run):
    """printf returns the number of its arguments; a format without any prints itself; a line in several parts."""
    out = np.zeros((run.threads, 3), np.int32)
    lines = printed(
        run,
        kernel(
            "int* out",
            """
            out[3 * t] = printf("plain\\n"); out[3 * t + 1] = printf("%d %s\\n", 5, "x"); out[3 * t + 2] = printf("%f %f %f\\n", 1.0, 2.0f, 3.0);
            """,
        ),
        out,
    )
    assert lines == ["1.000000 2.000000 3.000000"] * run.threads + ["5 x"] * run.threads + ["plain"] * run.threads
    run.same(out, [0, 2, 3])


@case(blocks=BLOCKS)
def printf_under_divergence(run):
    """Threads that print different lines, different numbers of them, between barriers and in functions."""
    source = kernel(
        "",
        """
        for (int i = 0; i < t % 4; ++i) say(t, i);
        __syncthreads();
        if (t % 3 == 0) printf("%d after %s\\n", t, t % 2 ? "odd" : "even");
        """,
        '__device__ __noinline__ void say(int t, int i) { if (i % 2) printf("%d odd %d\\n", t, i); else printf("%d %d\\n", t, i); }',
    )
    expected = [f"{t} {'odd ' if i % 2 else ''}{i}" for t in range(run.threads) for i in range(t % 4)]
    expected += [f"{t} after {'odd' if t % 2 else 'even'}" for t in range(0, run.threads, 3)]
    assert printed(run, source) == sorted(expected)


@case(blocks=[1, 32, (4, 4, 4)])
def arguments_of_many_types(run):
    """Thirty arguments of mixed sizes: each at its own place."""
    kinds = [("%d", "(char)({i} - t)", lambda i, t: i - t), ("%g", "t + {i} * 0.5f", lambda i, t: t + i * 0.5)]
    kinds += [("%lld", "({i} + t) * 5000000000ll", lambda i, t: (i + t) * 5000000000), ("%c", "'A' + {i}", None)]
    kinds += [("%u", "(unsigned short)(t * {i})", lambda i, t: t * i)]
    form = " ".join(kinds[i % 5][0] for i in range(30))
    arguments = ", ".join(kinds[i % 5][1].format(i=i) for i in range(30))

    def value(i, t):
        kind, _, of = kinds[i % 5]
        return chr(65 + i) if kind == "%c" else f"{of(i, t):g}" if kind == "%g" else str(of(i, t))

    check(run, form, arguments, lambda t: " ".join(value(i, t) for i in range(30)))


@case(blocks=[1, 33, 256])
def nothing_is_mixed_up(run):
    """Several blocks print at once: every line is whole and there once."""
    lines = printed(run, kernel("", 'printf("block %d thread %d end\\n", blockIdx.x, t);'), grid=7)
    assert lines == sorted(f"block {b} thread {t} end" for b in range(7) for t in range(run.threads))
