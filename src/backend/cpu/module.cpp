// Modules of the CPU device.
#include "backend/cpu/module.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lanza::executor {
namespace {

std::shared_ptr<const ModuleRecord> make_record(const backend::Code& code, bool use_cache) {
  if (code.kind != "bitcode") {
    throw InvalidArgument(fmt::format(
        "the CPU device cannot load code of kind '{}'; it takes 'bitcode', which its own compiler makes", code.kind));
  }
  ModuleRecord record{code.image,
                      hash128(code.image),
                      CodeSettings::from_environment(),
                      Segment(code.data, code.relocations, code.data_bytes),
                      use_cache,
                      code.phases};
  *record.as_initialised = std::ranges::any_of(code.variables, &backend::VariableInfo::folded);
  return std::make_shared<ModuleRecord>(std::move(record));
}

}  // namespace

Module::Module(const backend::Code& code, bool use_cache) : record_(make_record(code, use_cache)) {}

std::unique_ptr<backend::Kernel> Module::kernel(const backend::KernelInfo& info) {
  auto kernel = std::make_unique<Kernel>(record_, info);
  std::lock_guard lock(mutex_);
  std::erase_if(kernels_, [](const auto& k) { return k.expired(); });
  kernels_.push_back(kernel->share());
  return kernel;
}

backend::Memory Module::variable(const backend::VariableInfo& info) {
  const Segment& segment = record_->segment;
  if (info.offset > segment.size() || segment.size() - info.offset < info.size) {
    throw InvalidArgument(fmt::format("variable {}: {} bytes at offset {} are outside of the module's data ({} bytes)",
                                      info.name, info.size, info.offset, segment.size()));
  }
  // It may be written to from now on: launches that come later take code that reads it.
  if (info.folded) *record_->as_initialised = false;
  return {reinterpret_cast<backend::Pointer>(segment.data()) + info.offset, info.size};
}

std::string Module::image(std::string_view kind) {
  if (kind == "bitcode") return record_->bitcode;
  if (kind != "object")
    throw NotFound(fmt::format("a module of the CPU device has no image '{}'; it has: bitcode, object", kind));
  std::lock_guard lock(mutex_);
  for (const auto& weak : kernels_) {
    const auto kernel = weak.lock();
    if (!kernel) continue;
    for (const auto& object : kernel->objects()) {
      if (auto image = object->image(); !image.empty()) return image;
    }
  }
  throw NotFound("the module has no image 'object' yet: a kernel is compiled at its first launch");
}

}  // namespace lanza::executor
