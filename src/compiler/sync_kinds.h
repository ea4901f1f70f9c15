/* The table of synchronisation points (decision D5): what a thread of a block can wait at. The prelude emits calls
   `__lanza_sync(kind, id, mask, operand, aux)`, the passes lower them, the executor's scheduler serves them.
   Only preprocessor and enum, because kernels' prelude includes this too. */
#ifndef LANZA_SYNC_KINDS_H
#define LANZA_SYNC_KINDS_H

enum LanzaSyncKind {
  /* Not a wait: the thread has ended. */
  LANZA_SYNC_DONE = 0,
  /* Block scope. id: barrier 0..15, or 17..47 for cooperative groups' tiles of several warps; aux: number of threads, 0
     for all that live. */
  LANZA_SYNC_BARRIER = 1,
  /* The same; operand: predicate; result: number of threads whose predicate was not 0. */
  LANZA_SYNC_BARRIER_COUNT = 2,
  /* Warp scope, from here to REDUCE: fires when every live lane of `mask` waits at an operation of the same kind and
     mask. */
  LANZA_SYNC_WARP = 3,
  LANZA_SYNC_BALLOT = 4, /* operand: predicate; result: mask of the lanes where it is not 0 */
  LANZA_SYNC_SHUFFLE =
      5, /* operand: 64 bits; aux: source lane 0..31; result: its operand, or the own one when it is no member */
  LANZA_SYNC_MATCH_ANY = 6, /* operand: 64 bits; result: mask of the members with an equal operand */
  LANZA_SYNC_MATCH_ALL = 7, /* operand: 64 bits; result: mask of the members if all operands are equal, else 0 */
  LANZA_SYNC_REDUCE = 8,    /* operand: 32 bits; aux: LanzaReduce; result: reduction over the members */
  /* A spinning thread lets others run. */
  LANZA_SYNC_YIELD = 9,
  /* Warp-synchronous code without a mask: waits until no lane of the warp can run, then the lanes at the lowest id go
     on together. */
  LANZA_SYNC_LOCKSTEP = 10,
  /* The same; result: the mask of the lanes that go on together (__activemask). */
  LANZA_SYNC_ACTIVEMASK = 11,
  /* A nested coroutine has returned to its caller. */
  LANZA_SYNC_RETURN = 12,
  /* Grid scope, in cooperative launches. */
  LANZA_SYNC_GRID = 13,
  /* Block scope: the thread counts at a barrier as one that waits there, but goes on (PTX's bar.arrive). id and aux as
     BARRIER's. */
  LANZA_SYNC_ARRIVE = 14
};

enum LanzaReduce {
  LANZA_REDUCE_ADD = 0,
  LANZA_REDUCE_MIN_SIGNED = 1,
  LANZA_REDUCE_MAX_SIGNED = 2,
  LANZA_REDUCE_MIN_UNSIGNED = 3,
  LANZA_REDUCE_MAX_UNSIGNED = 4,
  LANZA_REDUCE_AND = 5,
  LANZA_REDUCE_OR = 6,
  LANZA_REDUCE_XOR = 7
};

/* What `__lanza_reflect(id)` asks; a pass folds it to a constant. */
enum LanzaReflect {
  LANZA_REFLECT_PTX = 0,       /* 1: code for a GPU, 0: for the host */
  LANZA_REFLECT_FTZ = 1,       /* -ftz=true */
  LANZA_REFLECT_PREC_DIV = 2,  /* -prec-div=true (the default) */
  LANZA_REFLECT_PREC_SQRT = 3, /* -prec-sqrt=true (the default) */
  LANZA_REFLECT_FAST_MATH = 4, /* -use_fast_math */
  LANZA_REFLECT_HALVES = 5,    /* the host has arithmetic of halves (AVX512-FP16) */
  LANZA_REFLECT_DIRECTED = 6   /* the host rounds each operation in a direction of its own (AVX-512) */
};

#endif
