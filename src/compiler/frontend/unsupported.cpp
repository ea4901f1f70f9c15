#include "compiler/frontend/unsupported.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/StringExtras.h>

using namespace llvm;

namespace lanza::compiler {
namespace {

struct Feature {
  StringRef prefix;  // of a header's name, or of an identifier
  StringRef what;    // "half precision is" ...
};

constexpr StringRef not_yet = " not supported on the CPU device yet";
constexpr StringRef fp8 = "8-bit floating point is", twister = "cuRAND's MTGP32 is",
                    discrete = "cuRAND's discrete distribution is", matrix = "tensor cores (wmma) are",
                    libraries = "NVIDIA's C++ libraries (CCCL)", builtin_atomics = "the __nv_atomic functions are",
                    textures = "textures and surfaces are", standard_library = "the host's C++ standard library is";

const Feature headers[] = {{"cuda_fp8", fp8},      {"curand_mtgp32", twister}, {"mma.h", matrix},
                           {"crt/mma", matrix},    {"cuda/", libraries},       {"cub/", libraries},
                           {"thrust/", libraries}, {"nv/", libraries},         {"texture_", textures},
                           {"surface_", textures}, {"cuda_texture", textures}, {"cuda_surface", textures}};

const StringRef host_headers[] = {"atomic", "deque",  "exception",     "iostream", "list",    "map",
                                  "memory", "mutex",  "random",        "set",      "sstream", "stdexcept",
                                  "string", "thread", "unordered_map", "variant",  "vector"};

const Feature identifiers[] = {{"__nv_fp8", fp8},
                               {"__nv_atomic_", builtin_atomics},
                               {"__NV_ATOMIC_", builtin_atomics},
                               {"__NV_THREAD_SCOPE_", builtin_atomics},
                               {"curandStateMtgp32", twister},
                               {"curand_discrete", discrete},
                               {"wmma", matrix},
                               {"thrust", libraries},
                               {"cub", libraries},
                               {"tex1D", textures},
                               {"tex2D", textures},
                               {"tex3D", textures},
                               {"texCubemap", textures},
                               {"texture", textures},
                               {"surface", textures},
                               {"surf1D", textures},
                               {"surf2D", textures},
                               {"surf3D", textures},
                               {"cudaTextureObject_t", textures},
                               {"cudaSurfaceObject_t", textures},
                               {"cudaTextureType", textures},
                               {"cudaReadMode", textures}};

// What a header declares that the source has forgotten.
const Feature declared[] = {{"__half", "cuda_fp16.h"},
                            {"half", "cuda_fp16.h"},
                            {"half2", "cuda_fp16.h"},
                            {"__float2half", "cuda_fp16.h"},
                            {"__half2float", "cuda_fp16.h"},
                            {"__hadd", "cuda_fp16.h"},
                            {"__hmul", "cuda_fp16.h"},
                            {"__hfma", "cuda_fp16.h"},
                            {"__nv_bfloat16", "cuda_bf16.h"},
                            {"__float2bfloat16", "cuda_bf16.h"},
                            {"cuFloatComplex", "cuComplex.h"},
                            {"cuDoubleComplex", "cuComplex.h"},
                            {"make_cuComplex", "cuComplex.h"},
                            {"CUDART_", "math_constants.h"},
                            {"cooperative_groups", "cooperative_groups.h"},
                            {"__pipeline_", "cuda_pipeline_primitives.h"},
                            {"__mbarrier_", "cuda_awbarrier_primitives.h"},
                            {"curand", "curand_kernel.h"},
                            {"curandState", "curand_kernel.h"},
                            {"curandStatePhilox4_32_10_t", "curand_kernel.h"},
                            {"curand_init", "curand_kernel.h"},
                            {"curand_uniform", "curand_kernel.h"},
                            {"curand_normal", "curand_kernel.h"}};

// What CUDA 9 gave a mask of the lanes that take part.
const StringRef without_mask[] = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"};

StringRef feature_of_header(StringRef name) {
  for (const Feature& f : headers)
    if (name.starts_with(f.prefix)) return f.what;
  for (StringRef header : host_headers)
    if (name == header) return standard_library;
  return {};
}

std::string sentence(StringRef what) {
  if (what == standard_library)
    return "the host's C++ standard library is not available in kernels: remove the #include, or guard it with #ifndef "
           "__CUDACC_RTC__";
  if (what == libraries)
    return (what +
            " have it, which are not on the include path: add the toolkit's folder include/cccl, or the folder "
            "nvidia/cu13/include/cccl that pip install nvidia-cuda-cccl makes")
        .str();
  if (what == builtin_atomics)
    return (what + not_yet + ": use atomicAdd and its kin, or cuda::atomic_ref of <cuda/atomic>").str();
  return (what + not_yet + ": rewrite the kernel without, or run it on a CUDA device").str();
}

class MissingHeaders : public clang::PPCallbacks {
 public:
  explicit MissingHeaders(clang::DiagnosticsEngine& diagnostics)
      : diagnostics_(diagnostics), id_(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0: %1")) {}

  // True: clang itself says nothing; InclusionDirective, which has the place, is called next.
  bool FileNotFound(StringRef name) override { return !feature_of_header(name).empty(); }

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, StringRef name, bool,
                          clang::CharSourceRange range, clang::OptionalFileEntryRef file, StringRef, StringRef,
                          const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) override {
    const StringRef what = feature_of_header(name);
    if (file || what.empty()) return;
    diagnostics_.Report(range.getBegin().isValid() ? range.getBegin() : hash, id_) << name << sentence(what);
  }

 private:
  clang::DiagnosticsEngine& diagnostics_;
  unsigned id_;
};

// Whether a message's word is of the family that a prefix stands for; short words of everyday must match whole.
bool names(StringRef word, StringRef prefix) {
  if (!word.starts_with(prefix)) return false;
  if (prefix.ends_with("_") || prefix.size() > 7 || prefix.starts_with("tex") || prefix.starts_with("surf") ||
      prefix.starts_with("curand") || prefix.starts_with("__"))
    return true;
  return word.size() > prefix.size() && !isAlnum(word[prefix.size()]) && word[prefix.size()] != '_';
}

}  // namespace

std::string hint_for(StringRef message) {
  if (message.contains("reference to __global__ function"))
    return "device code can launch a kernel, name<<<grid, block>>>(arguments), but not call it, nor take its address "
           "inside of a function: keep pointers to kernels in a variable outside, __device__ void (*kernels[])(int*) = "
           "{name}, or pass the kernel as a template argument; what is to be called is a __device__ function";
  if (message.contains("'of_one_block'"))
    return "thread block clusters of more than one block are not supported by Lanza: launch without __cluster_dims__, "
           "or run the kernel on a CUDA device";
  if (message.contains("kernel call to non-global function"))
    return "declare it __global__, or call it without <<<...>>>";
  if (message.contains("call to __global__ function from") || message.contains("not configured"))
    return "device code can launch a kernel, name<<<grid, block>>>(arguments), but not call it: make the shared part a "
           "__device__ function";
  if (message.contains("a kernel is launched in host code"))
    return "host code is not compiled here: launch the kernel through Lanza's C++ or Python API";
  if (message.contains("'cudaDeviceSynchronize'"))
    return "CUDA 12 has removed cudaDeviceSynchronize from device code: a kernel ends when those that it launched have "
           "ended; what must run after them is launched into cudaStreamTailLaunch";
  if (message.contains("reference to __host__ function") || message.contains("call to __host__ function"))
    return "a function without __device__ is for the host: declare it __device__, or compile with -default-device";
  if (message.contains("undeclared identifier 'cuda"))
    return "functions of the CUDA runtime are for the host: allocate and copy through Lanza's C++ or Python API, and "
           "use malloc, memcpy and cooperative groups in kernels";
  if (message.contains("unknown type name 'concept'") || message.contains("unknown type name 'requires'"))
    return "concepts are of C++20: compile with the option -std=c++20";
  if (message.contains("cannot use 'try'") || message.contains("cannot use 'throw'"))
    return "CUDA C++ has no exceptions in kernels: use assert, __trap(), or a result that says what went wrong";
  // clang quotes the names it speaks of.
  for (std::size_t open = message.find('\''); open != StringRef::npos; open = message.find('\'', open + 1)) {
    const StringRef name = message.substr(open + 1);
    for (const Feature& f : identifiers)
      if (names(name, f.prefix)) return sentence(f.what);
    if (!message.starts_with("u")) continue;  // unknown type name, use of undeclared identifier
    const StringRef whole = name.take_until([](char c) { return c == '\''; });
    if (is_contained(without_mask, whole))
      return ("CUDA has " + whole + "_sync instead, whose first argument is the mask of the lanes that take part: " +
              "0xffffffff for a whole warp")
          .str();
    for (const Feature& f : declared)
      if (names(name, f.prefix)) return ("it is declared in " + f.what + ": add #include <" + f.what + ">").str();
  }
  return {};
}

std::string hint_for_file(StringRef path) {
  if (!path.contains("/thrust/") && !path.contains("/cub/device/") && !path.contains("/cub/cub.cuh")) return {};
  return "Thrust, and CUB's algorithms for a whole device (cub/cub.cuh, cub/device/...), are for host code, and NVRTC "
         "refuses them too: in kernels include what they need of cub/block/... and cub/warp/...";
}

void report_unsupported_headers(clang::CompilerInstance& instance) {
  instance.getPreprocessor().addPPCallbacks(std::make_unique<MissingHeaders>(instance.getDiagnostics()));
}

}  // namespace lanza::compiler
