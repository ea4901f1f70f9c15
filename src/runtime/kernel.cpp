// Kernels: handles that keep their module.
#include <lanza/kernel.hpp>
#include <lanza/module.hpp>

#include "runtime/records.hpp"

namespace lanza {
namespace detail {

KernelRecord::KernelRecord(ModuleRecord& module, const backend::KernelInfo& info, std::unique_ptr<backend::Kernel> made)
    : module(module), info(info), plan(info.signature), kernel(std::move(made)) {}

std::shared_ptr<KernelRecord> share(KernelRecord& kernel) { return {kernel.module.shared_from_this(), &kernel}; }

}  // namespace detail

const std::string& Kernel::name() const noexcept { return record_->info.name; }
const Signature& Kernel::signature() const noexcept { return record_->info.signature; }
Module Kernel::module() const { return Module(record_->module.shared_from_this()); }
std::vector<std::pair<std::string, std::int64_t>> Kernel::attributes() const { return record_->kernel->attributes(); }
std::string Kernel::report() const { return record_->kernel->report(); }
std::uintptr_t Kernel::handle() const { return record_->kernel->handle(); }

}  // namespace lanza
