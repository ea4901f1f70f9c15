/* What a compiled CPU kernel (a shared object) and the executor agree on (decision D2). The passes mirror these structs
   as IR types, field by field; tests/compiler checks the offsets. A kernel object has no undefined symbols: all it
   needs comes through LanzaLaunch. It exports one symbol, `lanza_kernel`, of type LanzaKernelObject. */
#ifndef LANZA_KERNEL_ABI_H
#define LANZA_KERNEL_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "child_launch.h"
#include "sync_kinds.h"

#define LANZA_KERNEL_ABI 10
#define LANZA_KERNEL_SYMBOL "lanza_kernel"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LanzaLaunch LanzaLaunch;
typedef struct LanzaBlock LanzaBlock;
typedef struct LanzaThreads LanzaThreads;

/* What `run` returns. */
enum LanzaStatus {
  LANZA_DONE = 0,         /* every block of the range has ended */
  LANZA_YIELDED = 1,      /* the block waits for another one: run others, then call again with the same LanzaBlock */
  LANZA_GRID_BARRIER = 2, /* the block waits at a barrier of the grid */
  LANZA_FAILED = 3        /* the launch failed; the executor knows why */
};

/* Why a kernel ended itself: LanzaServices::fail. */
enum LanzaFailure { LANZA_FAIL_TRAP = 0, LANZA_FAIL_ASSERT = 1, LANZA_FAIL_STACK_OVERFLOW = 2 };

/* What LanzaServices::address_space answers. */
enum LanzaAddressSpace { LANZA_SPACE_GLOBAL = 1, LANZA_SPACE_SHARED = 3, LANZA_SPACE_LOCAL = 5 };

/* What kernels may call. Static, one for the process. */
typedef struct LanzaServices {
  uint32_t abi; /* LANZA_KERNEL_ABI */
  uint32_t reserved;
  /* Device printf: `arguments` is the buffer of CUDA's vprintf (each argument at its natural alignment, floats as
   * doubles). */
  int32_t (*print)(LanzaBlock* block, const char* format, const void* arguments);
  void* (*allocate)(LanzaBlock* block, uint64_t bytes); /* device-side malloc: null when there is no memory */
  void (*release)(LanzaBlock* block, void* memory);
  /* Does not return: leaves the block (longjmp to the executor). Strings may be null. */
  void (*fail)(LanzaBlock* block, uint32_t failure, const char* message, const char* file, uint32_t line,
               const char* function);
  /* The thread engine's scheduler: runs the blocks [next, end) of `block`, a coroutine a thread. */
  int32_t (*run_threads)(LanzaBlock* block, const LanzaThreads* threads);
  uint64_t (*clock)(void);                                           /* clock64: a cycle counter */
  uint64_t (*global_timer)(void);                                    /* nanoseconds */
  uint32_t (*address_space)(LanzaBlock* block, const void* address); /* LanzaAddressSpace: what a pointer points to */
  /* Queues a kernel of the same module, by its symbol, until the grid's blocks have ended: a LanzaChildError. `name`
   * is for messages; max_threads: its __launch_bounds__, 0: none. */
  uint32_t (*launch_child)(LanzaBlock* block, const char* symbol, const char* name, uint32_t max_threads,
                           const struct LanzaChildLaunch* launch);
  /* The last error of a thread's launches; 0: none. `clear` forgets it. */
  uint32_t (*launch_error)(LanzaBlock* block, uint64_t parent, uint32_t thread, uint32_t clear);
  /* A loop of the block waits for other blocks: they may run first. Kernels with LANZA_KERNEL_OWN_STACK only. */
  void (*wait)(LanzaBlock* block);
  /* The block has come to a barrier of the grid, and comes back when all others have. The same kernels only. */
  void (*wait_for_grid)(LanzaBlock* block);
} LanzaServices;

enum LanzaLaunchFlags { LANZA_LAUNCH_COOPERATIVE = 1 };

/* One a launch, the same for all its blocks; read-only for kernels. */
struct LanzaLaunch {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared; /* bytes, after the static shared memory */
  uint32_t flags;          /* LanzaLaunchFlags */
  char* globals;           /* the module's data segment: __device__ and __constant__ variables */
  const LanzaServices* services;
  void* executor; /* the executor's own */
  /* For reports of faults: the gridDim.x that the caller asked for, where this one is of LanzaKernelObject::blocks:
     block b does what fell to b % launched_blocks. 0: grid[0] is that. */
  uint32_t launched_blocks;
  uint32_t reserved;
};

/* LanzaBlock::lane_count while, on x86-64, first_lane, lane, lane_row[0], lane_row[1], lane_count and lane_rows are in
   mm0 to mm5, index[0] in mm6, and index[1] and [2] in mm7. */
#define LANZA_LANES_IN_REGISTERS 0xffffffffu

/* State of the blocks that one worker runs; 64-byte aligned. No state of a block stays on the thread's stack across
   `run`. */
struct LanzaBlock {
  uint32_t index[3]; /* blockIdx of the block that runs; `run` sets it from `next` */
  uint32_t alone; /* 1: nobody else works on global memory by atomic or volatile accesses while `run` is called: those
                     of the device's scope need not be atomic */
  uint64_t next, end; /* linear indices (x fastest) of the blocks to run; code that yields advances next */
  const LanzaLaunch* launch;
  const void* arguments; /* packed, in the layout of the kernel's signature; 16-byte aligned */
  char* shared;   /* static shared memory (LanzaKernelObject::shared_bytes), then dynamic; 64-byte aligned, at least 64
                     bytes */
  char* context;  /* the engine's own memory across cuts (thread engine: frames; the executor's scheduler sizes it) */
  void* executor; /* the executor's own */
  char* stacks;   /* frame stacks of nested coroutines: threads x stack_bytes */
  uint64_t stack_bytes;
  /* Loops over lanes keep here which threads are under way, for reports of faults. */
  uint64_t first_lane; /* x of the loop's first thread, counted from the block `index`: kernels that run the blocks of a
                          row as one go beyond that block */
  uint64_t lane;       /* the first of the threads that run now, counted from first_lane */
  uint32_t lane_row[2]; /* their y and z */
  uint32_t lane_count;  /* how many run at once; 0: none does; LANZA_LANES_IN_REGISTERS */
  uint32_t lane_rows;   /* more than 1: so many rows do, of all their threads, from lane_row on, of later layers too */
  char* counters;       /* LanzaKernelObject::counter_bytes, zeros at first, where the worker may count for itself what
                           blocks add to counters; null: it may not. A call with next == end adds them to the counters */
};

/* How to start the threads of a block (thread engine). `start` makes the coroutine of thread (x, y, z) in `frame`
   (frame_bytes, aligned to frame_align) and runs it to its first synchronisation point. */
struct LanzaThreads {
  void (*start)(void* frame, LanzaBlock* block, uint32_t x, uint32_t y, uint32_t z);
  uint64_t frame_bytes;
  uint64_t frame_align;
  uint32_t nested; /* 1: records are LanzaNestedRecord, resume `current` */
  uint32_t reserved;
};

/* The promise of a thread's coroutine, at frame + 16. The compiled code writes kind, id and aux in one 32-bit store. */
typedef struct LanzaRecord {
  uint8_t kind; /* LanzaSyncKind */
  uint8_t id;   /* barrier id; LOCKSTEP, ACTIVEMASK: low byte of the place */
  uint16_t aux; /* barrier: thread count; shuffle: source lane; reduce: operation; LOCKSTEP, ACTIVEMASK: place */
  uint32_t mask;
  uint64_t operand; /* the result comes back here */
  uint16_t tid[3];
  uint16_t line; /* of the source, where the thread waits; for reports. 0: not known, or beyond 65535 */
  LanzaBlock* block;
} LanzaRecord;

typedef struct LanzaFrame {
  void (*resume)(struct LanzaFrame*);
  void (*destroy)(struct LanzaFrame*);
  LanzaRecord record;
} LanzaFrame;

/* Kernels with nested coroutines (recursion with barriers) only. */
typedef struct LanzaNestedRecord {
  LanzaRecord record;
  LanzaFrame* current; /* innermost frame: the one to resume */
  char* top;           /* free end of the thread's frame stack */
} LanzaNestedRecord;

enum LanzaKernelFlags {
  LANZA_KERNEL_RANGES = 1,   /* takes many blocks a call at no cost (no synchronisation points) */
  LANZA_KERNEL_BLOCKING = 2, /* has a loop that waits for other threads: never inline on the caller, one block a call */
  LANZA_KERNEL_GRID_SYNC = 4,
  LANZA_KERNEL_PRINTS = 8,
  LANZA_KERNEL_UNBOUNDED = 16,  /* has a loop that may run for ever: only equal launches tell how long it takes */
  LANZA_KERNEL_LAUNCHES = 32,   /* launches kernels */
  LANZA_KERNEL_NARROW = 64,     /* for grids of up to LANZA_NARROW_GRID threads along x */
  LANZA_KERNEL_IN_ORDER = 128,  /* its blocks can tell in which order they run: atomic and volatile accesses */
  LANZA_KERNEL_SEVERAL_X = 256, /* for grids of several blocks along x */
  LANZA_KERNEL_SEVERAL_Y = 512,
  LANZA_KERNEL_ALONE = 1024,     /* asks LanzaBlock::alone */
  LANZA_KERNEL_OWN_STACK = 2048, /* calls LanzaServices::wait or wait_for_grid: `run` is to be called on a stack of its
                                    own */
  /* A range of blocks goes through an array together, as far as the grid is wide: fewer blocks, smaller pieces. */
  LANZA_KERNEL_GRID_STRIDES = 4096
};

/* There blockIdx.x * blockDim.x + threadIdx.x, and a little more, is an index of 32 bits that does not wrap. */
#define LANZA_NARROW_GRID 0x7fff0000u

/* The exported symbol `lanza_kernel`. */
typedef struct LanzaKernelObject {
  uint32_t abi; /* LANZA_KERNEL_ABI */
  uint32_t flags;
  int32_t (*run)(const LanzaLaunch* launch, const void* arguments, LanzaBlock* block);
  uint64_t shared_bytes;  /* static shared memory; a multiple of 64 */
  uint32_t block[3];      /* the blockDim it was made for; 0, 0, 0: any */
  uint32_t lanes;         /* width of the vector code; 1: lane by lane; 0: thread engine */
  uint64_t frame_bytes;   /* a thread's coroutine frame; 0 without one: what a thread costs */
  const char* report;     /* JSON: engine, why, phases */
  uint64_t context_bytes; /* of LanzaBlock::context, 64-byte aligned; 0: the kernel wants none, or sizes it itself */
  uint32_t lane_axis; /* along which the lanes run: what LanzaBlock says of lanes has it and x in each other's place */
  uint32_t row; /* of how many threads, where a block of one row is taken for one of several: LanzaBlock says which of a
                   row's threads, and which row; 0: as launched */
  uint64_t counter_bytes; /* of LanzaBlock::counters, 64-byte aligned; 0: the kernel has no counters of its own */
  /* Whether the code is right for a launch of that gridDim with those arguments, packed as for `run`, wherever they
     lie: not 0 if its index arithmetic does not wrap there. Null: for all that the flags allow. */
  int32_t (*fits)(const uint32_t grid[3], const void* arguments);
  /* The gridDim.x with which such a launch does the same, a turn a thread, of a loop that strides with the grid. Null:
     the kernel has no such loop. */
  uint32_t (*blocks)(const uint32_t grid[3], const void* arguments);
} LanzaKernelObject;

#ifdef __cplusplus
}
#endif
#endif
