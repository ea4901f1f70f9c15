// Modules: kernels and variables by name; instances of templates that nobody named before.
#include <fmt/format.h>

#include <lanza/module.hpp>

#include "runtime/compilation.hpp"
#include "runtime/names.hpp"
#include "runtime/records.hpp"
#include "runtime/registry.hpp"

namespace lanza {
namespace detail {
namespace {

// The module that holds the instance of a template that nobody named before.
std::shared_ptr<ModuleRecord> instantiate(ModuleRecord& module, std::string_view name) {
  const std::string key = canonical_name(name);
  {
    std::lock_guard lock(module.mutex);
    if (const auto found = module.instantiated.find(key); found != module.instantiated.end()) return found->second;
  }
  backend::CompileRequest request = module.request;
  request.names = {std::string(name)};
  std::shared_ptr<ModuleRecord> made;
  try {
    made = load_module(module.context, std::move(request), module.use_cache);
  } catch (const CompileError& error) {
    throw_no_kernel(module.code.kernels, name, module.request.filename,
                    fmt::format("it does not compile as a name: {}", error.what()));
  }
  std::lock_guard lock(module.mutex);
  return module.instantiated.try_emplace(key, std::move(made)).first->second;
}

KernelRecord& find(ModuleRecord& module, std::string_view name) {
  const auto& kernels = module.code.kernels;
  const std::string& where = module.request.filename;
  if (const auto index = find_kernel(kernels, name, where)) return module.kernel(*index);
  if (name.find('<') == std::string_view::npos) throw_no_kernel(kernels, name, where);
  ModuleRecord& instance = *instantiate(module, name);
  const auto index = find_kernel(instance.code.kernels, name, where);
  if (!index) throw_no_kernel(kernels, name, where);
  return instance.kernel(*index);
}

// Calls visit with the module and every one that was instantiated from it; its mutex is held.
template <class Visit>
void for_each_part(const ModuleRecord& module, Visit visit) {
  visit(module);
  for (const auto& [name, instance] : module.instantiated) {
    std::lock_guard lock(instance->mutex);
    visit(*instance);
  }
}

}  // namespace

KernelRecord& ModuleRecord::kernel(std::size_t index) {
  std::lock_guard lock(mutex);
  auto& slot = kernels[index];
  if (!slot) slot = std::make_unique<KernelRecord>(*this, code.kernels[index], module->kernel(code.kernels[index]));
  return *slot;
}

}  // namespace detail

Kernel Module::kernel(std::string_view name) const { return Kernel(detail::share(detail::find(*record_, name))); }

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const backend::KernelInfo& kernel : record_->code.kernels) names.push_back(kernel.name);
  return names;
}

Buffer<> Module::variable(std::string_view name) const {
  const auto& variables = record_->code.variables;
  const auto index = detail::find_variable(variables, name, record_->request.filename);
  if (!index) detail::throw_no_variable(variables, name, record_->request.filename);
  const backend::Memory memory = record_->module->variable(variables[*index]);
  auto record = std::make_shared<detail::BufferRecord>(record_->context, record_, memory);
  return Buffer<>(detail::Storage(std::move(record)), memory.size);
}

std::string Module::image(std::string_view kind) const { return record_->module->image(kind); }
const std::string& Module::log() const noexcept { return record_->code.log; }
const std::string& Module::compiler() const noexcept { return record_->code.compiler; }
const std::string& Module::filename() const noexcept { return record_->request.filename; }

bool Module::cached() const {
  bool all = true;
  std::lock_guard lock(record_->mutex);
  detail::for_each_part(*record_, [&](const detail::ModuleRecord& part) {
    all = all && part.cached;
    for (const auto& kernel : part.kernels) all = all && (!kernel || kernel->kernel->cached());
  });
  return all;
}

double Module::compile_seconds() const {
  double sum = 0;
  std::lock_guard lock(record_->mutex);
  detail::for_each_part(*record_, [&](const detail::ModuleRecord& part) {
    sum += part.seconds;
    for (const auto& kernel : part.kernels) sum += kernel ? kernel->kernel->compile_seconds() : 0;
  });
  return sum;
}

Device Module::device() const noexcept { return Device(record_->context->device); }
Context Module::context() const noexcept { return Context(record_->context); }
std::uintptr_t Module::handle() const { return record_->module->handle(); }

}  // namespace lanza
