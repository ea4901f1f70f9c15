// From source to module: the disk cache asked first, then the device's compiler.
#include <fmt/format.h>

#include <lanza/compile.hpp>

#include <chrono>
#include <filesystem>

#include "runtime/code_cache.hpp"
#include "runtime/compilation.hpp"
#include "runtime/registry.hpp"
#include "support/file.hpp"
#include "support/log.hpp"

namespace lanza {
namespace detail {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void take_code(ModuleRecord& module, backend::Code code) {
  module.module = module.context->context->load(code, module.use_cache);
  module.code = std::move(code);
  module.code.image = {};
  module.code.data = {};
  module.kernels.resize(module.code.kernels.size());
}

bool load_from_cache(ModuleRecord& module, CodeCache& cache) {
  auto code = cache.find();
  if (!code) return false;
  try {
    take_code(module, std::move(*code));
  } catch (const DriverError& error) {
    // Such as a driver older than the one that the entry was made under: compiling again gives what this one takes, or
    // the true error.
    log::info("code from the cache could not be loaded, compiling it again: {}", error.what());
    return false;
  }
  return module.cached = true;
}

void compile_and_load(ModuleRecord& module, CodeCache* cache) {
  const auto began = std::filesystem::file_time_type::clock::now();
  backend::CompileResult result = module.context->device.device.compile(module.request);
  if (cache) cache->store(result, began);
  take_code(module, std::move(result.code));
}

backend::CompileRequest request_of(std::string_view source, const CompileOptions& options) {
  backend::CompileRequest request;
  request.source = source;
  request.filename = options.filename;
  request.names = options.names;
  request.options = options.options;
  for (const auto& directory : options.include_dirs) request.include_dirs.push_back(directory.string());
  for (const auto& [name, text] : options.headers) request.headers.push_back({name, text});
  return request;
}

}  // namespace

ModuleRecord::ModuleRecord(std::shared_ptr<ContextRecord> made_in, backend::CompileRequest made_from, bool use_cache)
    : context(std::move(made_in)), request(std::move(made_from)), use_cache(use_cache) {}

std::shared_ptr<ModuleRecord> load_module(std::shared_ptr<ContextRecord> context, backend::CompileRequest request,
                                          bool use_cache) {
  const auto start = Clock::now();
  auto module = std::make_shared<ModuleRecord>(std::move(context), std::move(request), use_cache);
  if (use_cache) {
    DeviceRecord& device = module->context->device;
    CodeCache cache(DiskCache::process_wide(), module->request, device.kind == DeviceKind::Cuda ? "cuda" : "cpu",
                    device.device.compiler_identity());
    if (!load_from_cache(*module, cache)) compile_and_load(*module, &cache);
  } else {
    compile_and_load(*module, nullptr);
  }
  module->seconds = seconds_since(start);
  log::info("{}: {} in {:.3f} ms", module->request.filename, module->cached ? "found in the cache" : "compiled",
            module->seconds * 1e3);
  return module;
}

}  // namespace detail

Module compile(std::string_view source, const CompileOptions& options) {
  const Device device = options.device ? *options.device : current_device();
  return Module(detail::load_module(device.context().shared(), detail::request_of(source, options), options.cache));
}

Module load(const std::filesystem::path& path, const CompileOptions& options) {
  CompileOptions adapted = options;
  if (options.filename == CompileOptions().filename) adapted.filename = path.string();
  adapted.include_dirs.insert(adapted.include_dirs.begin(), path.has_parent_path() ? path.parent_path() : ".");
  return compile(read_file_or_throw(path), adapted);
}

}  // namespace lanza
