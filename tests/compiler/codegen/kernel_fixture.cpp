#include "kernel_fixture.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "mini_scheduler.hpp"

namespace lanza::compiler::testing {

namespace {

const char kPrelude[] = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define tid_x unsigned(__nvvm_read_ptx_sreg_tid_x())
#define tid_y unsigned(__nvvm_read_ptx_sreg_tid_y())
#define tid_z unsigned(__nvvm_read_ptx_sreg_tid_z())
#define ctaid_x unsigned(__nvvm_read_ptx_sreg_ctaid_x())
#define ctaid_y unsigned(__nvvm_read_ptx_sreg_ctaid_y())
#define ctaid_z unsigned(__nvvm_read_ptx_sreg_ctaid_z())
#define ntid_x unsigned(__nvvm_read_ptx_sreg_ntid_x())
#define ntid_y unsigned(__nvvm_read_ptx_sreg_ntid_y())
#define nctaid_x unsigned(__nvvm_read_ptx_sreg_nctaid_x())
#define index_x (ctaid_x * ntid_x + tid_x)
using uint64 = unsigned long long;
extern "C" __device__ __attribute__((convergent)) long long __lanza_sync(int kind, int id, int mask, long long operand, int aux);
extern "C" __device__ void __lanza_fail(int failure, const char* message, const char* file, int line, const char* function)
    __attribute__((noreturn));
extern "C" __device__ int vprintf(const char*, const void*);
extern "C" __device__ int __lanza_reflect(int);
)";

std::filesystem::path scratch_file(const char* suffix) {
  static int serial = 0;
  return std::filesystem::temp_directory_path() /
         ("lanza-codegen-" + std::to_string(getpid()) + "-" + std::to_string(serial++) + suffix);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[512];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command + "\n" + text);
  return text;
}

// The services find their launch here: tests run one launch a thread at a time.
thread_local LoadedKernel* running = nullptr;
thread_local jmp_buf on_failure;

int32_t print(LanzaBlock*, const char* format, const void*) {
  running->printed.push_back(format);
  return 0;
}
void* allocate(LanzaBlock*, uint64_t bytes) { return std::malloc(bytes); }
void release(LanzaBlock*, void* memory) { std::free(memory); }
void fail(LanzaBlock*, uint32_t kind, const char* message, const char* file, uint32_t line, const char* function) {
  running->failure = {kind, message ? message : "", file ? file : "", function ? function : "", line};
  longjmp(on_failure, 1);
}
uint64_t ticks() {
  static uint64_t now = 0;
  return ++now;
}

const LanzaServices kServices = {LANZA_KERNEL_ABI, 0, print, allocate, release, fail, run_threads, ticks, ticks};

}  // namespace

std::string bitcode_of(const std::string& cuda, const std::string& flags) {
  const auto source = scratch_file(".cu"), bitcode = scratch_file(".bc");
  std::ofstream(source) << kPrelude << "\n#line 1 \"kernel.cu\"\n" << cuda;
  output_of(
      std::string(LANZA_TEST_CLANG) +
      " -cc1 -x cuda -fcuda-is-device -triple nvptx64-nvidia-cuda -aux-triple x86_64-pc-linux-gnu -target-cpu sm_80"
      " -target-feature +ptx78 -O2 -disable-llvm-passes -std=c++17 -ffp-contract=fast -relaxed-aliasing -nostdsysteminc"
      " -debug-info-kind=line-tables-only -dwarf-version=5 -emit-llvm-bc " +
      flags + " " + source.string() + " -o " + bitcode.string() + " 2>&1");
  std::string bytes = read_file(bitcode);
  std::filesystem::remove(source);
  std::filesystem::remove(bitcode);
  return bytes;
}

LanzaSpecialiseRequest request_for(const std::string& bitcode, const std::string& kernel, const std::string& target) {
  LanzaSpecialiseRequest request{};
  request.bitcode = {bitcode.data(), bitcode.size()};
  request.kernel = {kernel.data(), kernel.size()};
  request.target = {target.data(), target.size()};
  return request;
}

std::string report_of(const std::string& cuda, unsigned x, unsigned y, const std::string& target) {
  const std::string bitcode = bitcode_of(cuda), kernel = "k";
  LanzaSpecialiseRequest request = request_for(bitcode, kernel, target);
  request.block[0] = x;
  request.block[1] = y;
  request.block[2] = 1;
  const Specialised result = specialise(request);
  if (!result.ok) throw std::runtime_error(result.log);
  return LoadedKernel(result.object).table().report;
}

LoadedKernel::LoadedKernel(const std::string& object) : path_(scratch_file(".so")) {
  std::ofstream(path_, std::ios::binary) << object;
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw std::runtime_error(dlerror());
  table_ = static_cast<const LanzaKernelObject*>(dlsym(library_, LANZA_KERNEL_SYMBOL));
  if (!table_) throw std::runtime_error("no lanza_kernel");
}

LoadedKernel::~LoadedKernel() {
  if (library_) dlclose(library_);
  std::filesystem::remove(path_);
}

int LoadedKernel::run(const Launch& launch, const void* arguments) {
  LanzaLaunch description{};
  const Dim &grid = launch.grid, &block_dim = launch.block;
  const uint32_t grid_size[3] = {grid.x, grid.y, grid.z}, block_size[3] = {block_dim.x, block_dim.y, block_dim.z};
  std::memcpy(description.grid, grid_size, sizeof grid_size);
  std::memcpy(description.block, block_size, sizeof block_size);
  description.dynamic_shared = launch.dynamic_shared;
  description.globals = launch.globals;
  description.services = &kServices;
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> shared((table_->shared_bytes + launch.dynamic_shared) / 64 + 1);
  alignas(64) LanzaBlock block{};
  block.next = launch.first;
  block.end = std::min(launch.last, uint64_t(grid.x) * grid.y * grid.z);
  block.launch = &description;
  block.arguments = arguments;
  block.shared = shared.data()->bytes;
  const uint64_t threads = uint64_t(block_dim.x) * block_dim.y * block_dim.z;
  block.stack_bytes = 16 << 10;
  std::vector<Line> stacks(table_->lanes == 0 ? threads * block.stack_bytes / 64 : 0);
  block.stacks = stacks.data()->bytes;
  running = this;
  if (setjmp(on_failure)) return LANZA_FAILED;
  return table_->run(&description, arguments, &block);
}

std::string undefined_symbols(const std::string& object) {
  const auto path = scratch_file(".so");
  std::ofstream(path, std::ios::binary) << object;
  std::string text = output_of("nm -D -u " + path.string());
  std::filesystem::remove(path);
  return text;
}

}  // namespace lanza::compiler::testing
