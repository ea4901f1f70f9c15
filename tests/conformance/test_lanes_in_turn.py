"""Threads that wait for each other inside a block: locks, hand-over, lock step on volatile memory."""

import numpy as np
from harness import case, kernel

LOCK = """
__device__ void lock(int* mutex) { while (atomicCAS(mutex, 0, 1) != 0) {} __threadfence(); }
__device__ void unlock(int* mutex) { __threadfence(); atomicExch(mutex, 0); }
"""


@case
def lock_of_each_lane(run):
    """A spin lock that all threads of a block take, lanes of one warp too: independent thread scheduling."""
    count, mutex = np.zeros(2, np.int32), np.zeros(1, np.int32)
    run(
        kernel(
            "int* count, int* mutex",
            """
            volatile int* c = count;
            lock(mutex);
            const int before = c[0];
            c[1] += t;
            c[0] = before + 1;
            unlock(mutex);
            """,
            LOCK,
        ),
        count,
        mutex,
    )
    run.same(count, [run.threads, np.arange(run.threads).sum()])
    run.same(mutex, 0)


@case
def lock_released_inside_the_loop(run):
    """The lock as written before Volta: critical section and release in the loop that tries."""
    count, mutex = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run(
        kernel(
            "int* count, int* mutex",
            """
            for (bool done = false; !done;) {
              if (atomicCAS(mutex, 0, 1) == 0) {
                *(volatile int*)count = *(volatile int*)count + t + 1;
                __threadfence();
                atomicExch(mutex, 0);
                done = true;
              }
            }
            """,
        ),
        count,
        mutex,
    )
    run.same(count, (np.arange(run.threads) + 1).sum())


@case
def lock_in_shared_memory(run):
    """Locks of shared memory, several of them, each thread takes two in order."""
    out = np.zeros(8, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int mutex[8], count[8];
            if (t < 8) mutex[t] = count[t] = 0;
            if (n < 8 && t == 0) for (int i = 0; i < 8; ++i) mutex[i] = count[i] = 0;
            __syncthreads();
            const int a = t % 8, b = t * 3 % 7, low = a < b ? a : b, high = a < b ? b : a;
            volatile int* c = count;
            lock(&mutex[low]);
            if (high != low) lock(&mutex[high]);
            c[low] += 1;
            c[high] += 100;
            if (high != low) unlock(&mutex[high]);
            unlock(&mutex[low]);
            __syncthreads();
            if (t == 0) for (int i = 0; i < 8; ++i) out[i] = count[i];
            """,
            LOCK,
        ),
        out,
    )
    t = np.arange(run.threads)
    a, b = t % 8, t * 3 % 7
    expected = np.bincount(np.minimum(a, b), minlength=8) + 100 * np.bincount(np.maximum(a, b), minlength=8)
    run.same(out, expected)


@case(each=["ascending", "descending", "scattered"])
def hand_over(run, order):
    """Each thread waits for its turn and gives it on: in the order of lanes, against it, and in another one."""
    n = run.threads
    place = {
        "ascending": np.arange(n),
        "descending": np.arange(n)[::-1],
        "scattered": np.random.default_rng(n).permutation(n),
    }[order].astype(np.int32)
    out, turn = np.zeros(n, np.int32), np.zeros(1, np.int32)
    run(
        kernel(
            "int* out, volatile int* turn, const int* place",
            """
            while (*turn != place[t]) {}
            __threadfence();
            out[place[t]] = place[t] ? out[place[t] - 1] + t : t;
            __threadfence();
            *turn = place[t] + 1;
            """,
        ),
        out,
        turn,
        place,
    )
    run.same(out, np.cumsum(np.argsort(place)))


@case
def flag_of_a_neighbour_lane(run):
    """Odd lanes produce, even lanes wait for a flag in shared memory, without a barrier between."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ volatile int flag[1024];
            __shared__ volatile int data[1024];
            flag[t] = 0;
            __syncthreads();
            if (t % 2 == 0 && t + 1 < n) {
              while (!flag[t + 1]) {}
              __threadfence_block();
              out[t] = data[t + 1];
            } else {
              data[t] = t * 11;
              __threadfence_block();
              flag[t] = 1;
              out[t] = -1;
            }
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.where((t % 2 == 0) & (t + 1 < run.threads), (t + 1) * 11, -1))


@case
def warps_wait_for_warps(run):
    """A chain of warps: lane 0 of each spins on the one after it, the last begins."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ volatile int done[33];
            if (t % 32 == 0) done[t / 32] = 0;
            if (t == 0) done[(n + 31) / 32] = 1;
            __syncthreads();
            const int w = t / 32;
            if (t % 32 == 0) {
              while (!done[w + 1]) __nanosleep(20);
              __threadfence_block();
              done[w] = done[w + 1] + 1;
            }
            __syncwarp();
            out[t] = done[w];
            """,
        ),
        out,
    )
    run.same(out, run.warp[-1] + 2 - run.warp)


@case(blocks=[32, 64, 256, 512, 1024, (16, 16, 1), (4, 4, 4), (8, 8, 16)])
def volatile_reduction(run):
    """The tail of a reduction in lock step on volatile shared memory, without __syncwarp, as PyCUDA generates it."""
    values = (np.arange(run.threads) * 37 % 101).astype(np.int32)
    out = np.zeros(1, np.int32)
    run(
        kernel(
            "int* out, const int* values",
            """
            __shared__ int s[1024];
            s[t] = values[t];
            __syncthreads();
            for (int size = n / 2; size > 32; size /= 2) {
              if (t < size) s[t] += s[t + size];
              __syncthreads();
            }
            if (t < 32) {
              volatile int* v = s;
              if (n >= 64) v[t] += v[t + 32];
              if (t < 16) {
                v[t] += v[t + 16];
                v[t] += v[t + 8];
                v[t] += v[t + 4];
                v[t] += v[t + 2];
                v[t] += v[t + 1];
              }
              if (t == 0) out[0] = v[0];
            }
            """,
        ),
        out,
        values,
    )
    run.same(out, values.sum())


@case(blocks=[64, 256, 1024])
def volatile_reduction_of_structs(run):
    """The same on a pair of members, by a volatile pointer that a function is given."""
    values = np.random.default_rng(5).permutation(run.threads).astype(np.int32)
    out = np.zeros(2, np.int32)
    run(
        kernel(
            "int* out, const int* values",
            """
            __shared__ Best s[1024];
            s[t].value = values[t]; s[t].at = t;
            __syncthreads();
            for (int size = n / 2; size > 32; size /= 2) { if (t < size) take(s, t, t + size); __syncthreads(); }
            if (t < 32) { take(s, t, t + 32); take(s, t, t + 16); take(s, t, t + 8); take(s, t, t + 4); take(s, t, t + 2); take(s, t, t + 1); }
            if (t == 0) { out[0] = s[0].value; out[1] = s[0].at; }
            """,
            """
            struct Best { int value, at; };
            __device__ void take(volatile Best* s, int a, int b) {
              const int v = s[b].value, at = s[b].at;
              if (v > s[a].value) { s[a].value = v; s[a].at = at; }
            }
            """,
        ),
        out,
        values,
    )
    run.same(out, [run.threads - 1, np.argmax(values)])


@case(blocks=[32, 64, 256, 1024, (16, 16, 1), (8, 8, 16)])
def volatile_scan(run):
    """A scan of each warp in lock step: every lane reads before any writes."""
    values = (np.arange(run.threads) * 13 % 29).astype(np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, const int* values",
            """
            __shared__ volatile int s[32 * 48];
            const int at = t / 32 * 48 + 16 + t % 32;
            s[at - 16] = 0;
            s[at] = values[t];
            s[at] += s[at - 1];
            s[at] += s[at - 2];
            s[at] += s[at - 4];
            s[at] += s[at - 8];
            s[at] += s[at - 16];
            out[t] = s[at];
            """,
        ),
        out,
        values,
    )
    expected = np.concatenate([np.cumsum(values[w : w + 32]) for w in range(0, run.threads, 32)])
    run.same(out, expected)


@case(blocks=[32, 64, 96, 256, (16, 16, 1)])
def volatile_places_read_again(run):
    """What neighbours in the warp have stored meanwhile is seen, under a condition too."""
    out = np.zeros((3, run.threads), np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ volatile int s[1024];
            const int w = t / 32 * 32, lane = t % 32;
            s[t] = lane;
            const int first = s[w + (lane ^ 1)];
            if (lane % 3 == 0) s[w + (lane ^ 1)] = 100 + first;
            const int second = s[w + (lane ^ 1)], own = s[t];
            if (lane < 20) s[t] = second + own;
            out[t] = first;
            out[n + t] = second + own;
            out[2 * n + t] = s[w + (lane + 7) % 32];
            """,
        ),
        out,
    )
    lane = np.arange(32)
    s = lane.copy()
    first = s[lane ^ 1]
    s[(lane ^ 1)[lane % 3 == 0]] = 100 + first[lane % 3 == 0]
    second = s[lane ^ 1] + s
    s[:20] = second[:20]
    expected = np.stack([first, second, s[(lane + 7) % 32]])
    run.same(out, np.tile(expected, run.threads // 32))


@case
def volatile_flag_set_by_a_later_thread(run):
    """All threads wait for what the last one of the block writes."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ volatile int go;
            if (t == 0) go = 0;
            __syncthreads();
            if (t == n - 1) { __threadfence_block(); go = 7; }
            while (go == 0) {}
            out[t] = go + t;
            """,
        ),
        out,
    )
    run.same(out, np.arange(run.threads) + 7)


@case
def atomic_ticket_barrier(run):
    """A barrier made by hand of one counter: threads arrive by atomicAdd and spin on an atomic read."""
    out = np.zeros((2, run.threads), np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int arrived;
            if (t == 0) arrived = 0;
            __syncthreads();
            for (int phase = 0; phase < 2; ++phase) {
              __shared__ volatile int s[1024];
              s[t] = t * (phase + 1);
              __threadfence_block();
              atomicAdd(&arrived, 1);
              while (atomicAdd(&arrived, 0) < n * (2 * phase + 1)) {}
              out[phase * n + t] = s[(t + 1) % n];
              atomicAdd(&arrived, 1);
              while (atomicAdd(&arrived, 0) < n * (2 * phase + 2)) {}
            }
            """,
        ),
        out,
    )
    next_ = (np.arange(run.threads) + 1) % run.threads
    run.same(out, np.stack([next_, 2 * next_]))
