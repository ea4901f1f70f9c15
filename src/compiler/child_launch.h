/* What a thread that launches a kernel hands to the executor (LanzaServices::launch_child). Nothing but this struct and
   numbers, because kernels' prelude includes this too. */
#ifndef LANZA_CHILD_LAUNCH_H
#define LANZA_CHILD_LAUNCH_H

struct LanzaChildLaunch {
  unsigned int grid[3], block[3];
  unsigned long long shared; /* bytes of dynamic shared memory */
  unsigned long long stream; /* LanzaChildStream, or a handle of the kernel's own */
  const void* arguments;     /* packed as a launch from the host packs them; copied */
  unsigned int argument_bytes;
  unsigned int thread;       /* the one that launches: linear in its block, */
  unsigned long long parent; /* which is linear in its grid */
};

/* Streams with a meaning; any other is a stream of the block's. */
enum LanzaChildStream { LANZA_STREAM_DEFAULT = 0, LANZA_STREAM_TAIL = 3, LANZA_STREAM_FIRE_AND_FORGET = 4 };

/* What launch_child answers: values of cudaError_t. */
enum LanzaChildError {
  LANZA_CHILD_QUEUED = 0,
  LANZA_CHILD_NO_MEMORY = 2,
  LANZA_CHILD_BAD_CONFIGURATION = 9,
  LANZA_CHILD_TOO_DEEP = 65,
  LANZA_CHILD_TOO_MANY = 69
};

#endif
