// NVRTC's routines, as its documentation declares them.
#include "backend/cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <dlfcn.h>

#include "backend/cuda/driver.hpp"
#include "support/environment.hpp"
#include "support/log.hpp"

namespace lanza::cuda_backend {
namespace fs = std::filesystem;
namespace {

using Program = struct _nvrtcProgram*;

LibrarySearch search() {
  LibrarySearch s;
  s.environment = "LANZA_NVRTC";
  s.names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  // A driver loads code of its own major version and of older ones: what is newer comes last.
  const int driver_major = driver_state().driver.version / 1000;
  if (driver_major == 12) std::swap(s.names[0], s.names[1]);
  if (driver_major == 11) std::swap(s.names[0], s.names[2]);
  s.wheel_folders = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"};
  return s;
}

const LibrarySearch::Result& found() {
  static const LibrarySearch::Result& result = *new LibrarySearch::Result(search().run());
  return result;
}

}  // namespace

struct Nvrtc::Routines {
  int (*version)(int*, int*);
  int (*number_of_architectures)(int*);
  int (*architectures)(int*);
  const char* (*error_string)(int);
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names);
  int (*destroy)(Program*);
  int (*compile)(Program, int options, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*ptx_size)(Program, std::size_t*);
  int (*ptx)(Program, char*);
  int (*cubin_size)(Program, std::size_t*);
  int (*cubin)(Program, char*);
  int (*add_name)(Program, const char*);
  int (*lowered_name)(Program, const char*, const char**);

  explicit Routines(const Library& library) {
    const auto get = [&library](auto& function, const char* name) {
      function = library.function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
      if (!function)
        throw Unavailable(
            fmt::format("{} has no {}: it is not NVRTC, or older than CUDA 11.2; install a newer one with "
                        "pip install nvidia-cuda-nvrtc",
                        library.path(), name));
    };
    get(version, "nvrtcVersion");
    get(number_of_architectures, "nvrtcGetNumSupportedArchs");
    get(architectures, "nvrtcGetSupportedArchs");
    get(error_string, "nvrtcGetErrorString");
    get(create, "nvrtcCreateProgram");
    get(destroy, "nvrtcDestroyProgram");
    get(compile, "nvrtcCompileProgram");
    get(log_size, "nvrtcGetProgramLogSize");
    get(log, "nvrtcGetProgramLog");
    get(ptx_size, "nvrtcGetPTXSize");
    get(ptx, "nvrtcGetPTX");
    get(cubin_size, "nvrtcGetCUBINSize");
    get(cubin, "nvrtcGetCUBIN");
    get(add_name, "nvrtcAddNameExpression");
    get(lowered_name, "nvrtcGetLoweredName");
  }
};

namespace {

/// A text or image of a program; empty when there is none. Sizes of texts count a zero at the end, which is left out.
std::string fetch(Program program, int (*size_of)(Program, std::size_t*), int (*get)(Program, char*), bool text) {
  std::size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) return {};
  std::string bytes(size, '\0');
  if (get(program, bytes.data()) != 0) return {};
  if (text) bytes.resize(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& t : texts) result.push_back(t.c_str());
  return result;
}

// NVRTC opens its built-ins by name when it compiles, along its own search path. Loaded here by their path they are
// found where that path does not reach: under sanitizers, whose dlopen asks in NVRTC's place, and beside copied
// libraries.
void load_builtins(const fs::path& nvrtc, int major, int minor) {
  const auto file = nvrtc.parent_path() / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  if (!::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) log::debug("NVRTC's built-ins: {}", ::dlerror());
}

}  // namespace

Nvrtc::Nvrtc(const Library& library) : routines_(std::make_shared<Routines>(library)) {
  routines_->version(&major_, &minor_);
  load_builtins(library.path(), major_, minor_);
  int count = 0;
  if (routines_->number_of_architectures(&count) != 0) return;
  architectures_.resize(count);
  routines_->architectures(architectures_.data());
}

const Nvrtc& Nvrtc::load() {
  const LibrarySearch::Result& result = found();
  if (!result.library)
    throw Unavailable(fmt::format(
        "NVRTC, the CUDA compiler library, was not found; install it with pip install nvidia-cuda-nvrtc, or set "
        "LANZA_NVRTC to the file; looked in {}",
        fmt::join(result.attempts, "; ")));
  static const Nvrtc& instance = *new Nvrtc(*result.library);
  return instance;
}

fs::path Nvrtc::locate() { return search().locate(); }

std::vector<std::string> Nvrtc::diagnosis() {
  const LibrarySearch::Result& result = found();
  std::vector<std::string> lines;
  if (!result.library) {
    lines.push_back("NVRTC: not found (pip install nvidia-cuda-nvrtc)");
    for (const std::string& attempt : result.attempts) lines.push_back("  " + attempt);
    return lines;
  }
  try {
    lines.push_back(fmt::format("{}: {}", load().name(), result.library->path()));
  } catch (const Unavailable& error) {
    lines.push_back(fmt::format("NVRTC: {}", error.what()));
  }
  for (const std::string& dir : cuda_include_dirs()) lines.push_back("  CUDA headers: " + dir);
  return lines;
}

std::string Nvrtc::name() const { return fmt::format("NVRTC {}.{}", major_, minor_); }

Nvrtc::Output Nvrtc::compile(const Input& input) const {
  std::vector<std::string> header_texts, header_names;
  for (const backend::Header& h : input.headers) {
    header_texts.push_back(h.text);
    header_names.push_back(h.name);
  }
  const auto texts = pointers(header_texts), names = pointers(header_names), options = pointers(input.options);
  Program raw = nullptr;
  const int created = routines_->create(&raw, input.source.c_str(), input.filename.c_str(),
                                        static_cast<int>(texts.size()), texts.data(), names.data());
  if (created != 0) throw Error(fmt::format("nvrtcCreateProgram failed: {}", routines_->error_string(created)));
  struct Destroy {
    const Routines& routines;
    void operator()(Program p) const { routines.destroy(&p); }
  };
  const std::unique_ptr<std::remove_pointer_t<Program>, Destroy> program(raw, Destroy{*routines_});

  for (const std::string& name : input.names) routines_->add_name(raw, name.c_str());
  const int result = routines_->compile(raw, static_cast<int>(options.size()), options.data());
  Output output;
  output.ok = result == 0;
  output.log = fetch(raw, routines_->log_size, routines_->log, true);
  if (!output.ok) {
    if (output.log.empty()) output.log = fmt::format("{}: {}", name(), routines_->error_string(result));
    return output;
  }
  output.ptx = fetch(raw, routines_->ptx_size, routines_->ptx, true);
  output.cubin = fetch(raw, routines_->cubin_size, routines_->cubin, false);
  for (const std::string& name : input.names) {
    const char* symbol = nullptr;
    const bool known = routines_->lowered_name(raw, name.c_str(), &symbol) == 0 && symbol;
    output.symbols.emplace_back(known ? symbol : "");
  }
  return output;
}

namespace {

bool holds_headers(const fs::path& dir) {
  std::error_code error;
  return fs::exists(dir / "cuda_fp16.h", error) || fs::exists(dir / "cuda_runtime_api.h", error);
}

}  // namespace

std::vector<std::string> cuda_include_dirs() {
  std::vector<fs::path> candidates;
  if (const fs::path library = Nvrtc::locate(); !library.empty()) {
    const fs::path lib = library.parent_path();
    candidates.push_back(lib.parent_path() / "include");                                 // nvidia/cu13, a toolkit
    candidates.push_back(lib.parent_path().parent_path() / "cuda_runtime" / "include");  // nvidia/cuda_nvrtc
    candidates.push_back(lib.parent_path() / "targets" / "x86_64-linux" / "include");    // conda
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment(variable)) candidates.push_back(fs::path(*root) / "include");
  candidates.push_back("/usr/local/cuda/include");
  for (const fs::path& dir : candidates) {
    if (!holds_headers(dir)) continue;
    std::vector<std::string> dirs{dir.lexically_normal().string()};
    std::error_code error;
    if (fs::exists(dir / "cccl", error)) dirs.push_back((dir / "cccl").lexically_normal().string());
    return dirs;
  }
  return {};
}

}  // namespace lanza::cuda_backend
