/* The compiler plug-in as others see it: one C table of bytes and plain structs (decision D12). No threads, streams,
   exceptions or LLVM types cross it. All strings are UTF-8 with a size, not zero-terminated unless said. Thread-safe:
   calls may run concurrently. */
#ifndef LANZA_COMPILER_INTERFACE_H
#define LANZA_COMPILER_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

#define LANZA_COMPILER_INTERFACE 2
#define LANZA_COMPILER_SYMBOL "lanza_compiler"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LanzaBytes {
  const char* data;
  size_t size;
} LanzaBytes;

typedef struct LanzaHeaderText {
  LanzaBytes name; /* as in #include */
  LanzaBytes text;
} LanzaHeaderText;

typedef struct LanzaCompileRequest {
  LanzaBytes source, filename;
  const LanzaBytes*
      options; /* NVRTC's spelling: "-DN=4", "-std=c++20", "--use_fast_math", "-I", "dir"; unknown ones are errors */
  size_t option_count;
  const LanzaBytes* include_dirs;
  size_t include_dir_count;
  const LanzaHeaderText* headers;
  size_t header_count;
  const LanzaBytes* names; /* name expressions to instantiate: "axpy<float>" */
  size_t name_count;
} LanzaCompileRequest;

enum LanzaParameterKind { LANZA_PARAMETER_POINTER = 0, LANZA_PARAMETER_SCALAR = 1, LANZA_PARAMETER_RECORD = 2 };

typedef struct LanzaParameter {
  LanzaBytes name, type; /* type as spelled by the compiler: "const float*" (no space before the star) */
  uint32_t kind;         /* LanzaParameterKind */
  uint32_t dtype; /* numeric value of lanza::DType (include/lanza/dtype.hpp) of the value or pointee; void: Opaque */
  uint32_t read_only;    /* pointer to const */
  uint32_t offset, size; /* in the packed argument block */
  uint64_t element_size; /* of the pointee (0: incomplete or void) or of the value */
} LanzaParameter;

typedef struct LanzaKernelInfo {
  LanzaBytes symbol;     /* in the bitcode: mangled */
  LanzaBytes name;       /* as the user calls it: "axpy", "ns::axpy<float>" */
  LanzaBytes expression; /* the name expression that asked for it, as given; else empty */
  const LanzaParameter* parameters;
  size_t parameter_count;
  uint32_t argument_bytes; /* size of the packed argument block */
  uint32_t max_threads;    /* __launch_bounds__; 0: none */
  uint32_t static_shared;  /* bytes */
  uint32_t line;           /* of the definition */
} LanzaKernelInfo;

typedef struct LanzaVariableInfo {
  LanzaBytes symbol, name, expression;
  uint64_t offset, size; /* in the data segment */
  uint32_t constant;     /* __constant__ */
  uint32_t folded;       /* code that is made with `as_initialised` takes its initial value for granted */
} LanzaVariableInfo;

/* data[offset .. offset + 8) += address of the segment: a pointer to a variable in an initialiser. */
typedef struct LanzaRelocation {
  uint64_t offset;
} LanzaRelocation;

typedef struct LanzaDependency {
  LanzaBytes path;
  uint32_t present; /* 0: probed and absent */
} LanzaDependency;

enum LanzaSeverity { LANZA_NOTE = 0, LANZA_WARNING = 1, LANZA_ERROR = 2 };

typedef struct LanzaDiagnostic {
  uint32_t severity, line, column;
  LanzaBytes file, message;
} LanzaDiagnostic;

typedef struct LanzaCompileResult {
  uint32_t ok;
  LanzaBytes log; /* the diagnostics as clang prints them, with carets; warnings also when ok */
  const LanzaDiagnostic* diagnostics;
  size_t diagnostic_count;
  LanzaBytes bitcode;
  const LanzaKernelInfo* kernels;
  size_t kernel_count;
  const LanzaVariableInfo* variables;
  size_t variable_count;
  LanzaBytes data; /* initial data segment up to the variables that are zero at first; relocations hold the offset */
  uint64_t data_bytes; /* of the whole segment: zero behind `data` */
  const LanzaRelocation* relocations;
  size_t relocation_count;
  const LanzaDependency* dependencies;
  size_t dependency_count;
  LanzaBytes phases; /* JSON: milliseconds of each phase, by name */
  double seconds;
  void* owner; /* the plug-in's */
} LanzaCompileResult;

enum LanzaMode { LANZA_MODE_AUTO = 0, LANZA_MODE_THREADS = 1, LANZA_MODE_LANES = 2, LANZA_MODE_VECTOR = 3 };

typedef struct LanzaArgumentValue {
  uint32_t parameter; /* of the kernel, an integer */
  int64_t value;
} LanzaArgumentValue;

typedef struct LanzaSpecialiseRequest {
  LanzaBytes bitcode, kernel;       /* kernel: its symbol */
  LanzaBytes target;                /* "native", "x86-64-v3", ... as -march takes */
  uint32_t block[3];                /* blockDim of the launch; the result may serve any (LanzaKernelObject::block) */
  uint32_t mode;                    /* LanzaMode */
  uint32_t lanes;                   /* 0: the compiler chooses */
  uint32_t wide;                    /* 1: for any launch, see LANZA_KERNEL_NARROW, _SEVERAL_X, _SEVERAL_Y and `fits` */
  uint32_t as_initialised;          /* 1: __constant__ variables still hold what they were initialised with */
  const LanzaArgumentValue* folded; /* the code is for launches with these arguments only */
  size_t folded_count;
  uint32_t quick; /* 1: with LANZA_MODE_THREADS, `fits` asks whether the blocks of a launch are short */
} LanzaSpecialiseRequest;

typedef struct LanzaSpecialiseResult {
  uint32_t ok;
  uint32_t generic;  /* 1: serves any blockDim */
  LanzaBytes log;    /* why not ok: a sentence */
  LanzaBytes object; /* the linked shared object */
  LanzaBytes phases; /* JSON: milliseconds of each phase, by name */
  double seconds;
  void* owner;
} LanzaSpecialiseResult;

typedef struct LanzaPtxRequest {
  LanzaBytes bitcode;
  uint32_t compute_capability; /* 90 for sm_90 */
  uint32_t ptx_version;        /* 78; 0: the newest that this LLVM writes */
} LanzaPtxRequest;

typedef struct LanzaPtxResult {
  uint32_t ok;
  LanzaBytes log, ptx;
  double seconds;
  void* owner;
} LanzaPtxResult;

typedef struct LanzaCompiler {
  uint32_t interface;  /* LANZA_COMPILER_INTERFACE */
  const char* version; /* zero-terminated; equals the constant LANZA_COMPILER_VERSION of liblanza's build */
  const char* about;   /* zero-terminated: "clang 19.1.7" */
  /* Never fail by exception; the result is freed by the matching call. */
  LanzaCompileResult* (*compile)(const LanzaCompileRequest*);
  void (*free_compile)(LanzaCompileResult*);
  LanzaSpecialiseResult* (*specialise)(const LanzaSpecialiseRequest*);
  void (*free_specialise)(LanzaSpecialiseResult*);
  LanzaPtxResult* (*emit_ptx)(const LanzaPtxRequest*);
  void (*free_ptx)(LanzaPtxResult*);
} LanzaCompiler;

/* Exported by the plug-in. Null when it does not speak that version of the interface. */
typedef const LanzaCompiler* (*LanzaCompilerEntry)(uint32_t interface);

#ifdef __cplusplus
}
#endif
#endif
