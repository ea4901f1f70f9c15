#include "compiler/results.hpp"

namespace lanza::compiler {
namespace {

LanzaBytes bytes(const std::string& text) { return {text.data(), text.size()}; }

struct CompileOwner {
  LanzaCompileResult result = {};
  Compiled compiled;
  std::string phases;
  std::vector<LanzaParameter> parameters;
  std::vector<LanzaKernelInfo> kernels;
  std::vector<LanzaVariableInfo> variables;
  std::vector<LanzaDiagnostic> diagnostics;
  std::vector<LanzaDependency> dependencies;
  std::vector<LanzaRelocation> relocations;
};

struct SpecialiseOwner {
  LanzaSpecialiseResult result = {};
  Specialised specialised;
  std::string phases;
};

struct PtxOwner {
  LanzaPtxResult result = {};
  Ptx ptx;
};

void add_kernels(CompileOwner& owner) {
  std::size_t count = 0;
  for (const Kernel& k : owner.compiled.kernels) count += k.parameters.size();
  owner.parameters.reserve(count);  // kernels point into it
  for (const Kernel& k : owner.compiled.kernels) {
    const LanzaParameter* first = owner.parameters.data() + owner.parameters.size();
    for (const Parameter& p : k.parameters)
      owner.parameters.push_back(
          {bytes(p.name), bytes(p.type), p.kind, p.dtype, p.read_only, p.offset, p.size, p.element_size});
    owner.kernels.push_back({bytes(k.symbol), bytes(k.name), bytes(k.expression), first, k.parameters.size(),
                             k.argument_bytes, k.max_threads, k.static_shared, k.line});
  }
}

}  // namespace

LanzaCompileResult* make_result(Compiled&& compiled) {
  auto* owner = new CompileOwner;
  owner->compiled = std::move(compiled);
  const Compiled& c = owner->compiled;
  add_kernels(*owner);
  for (const Variable& v : c.variables)
    owner->variables.push_back(
        {bytes(v.symbol), bytes(v.name), bytes(v.expression), v.offset, v.size, v.constant, v.folded});
  for (const Diagnostic& d : c.diagnostics)
    owner->diagnostics.push_back({d.severity, d.line, d.column, bytes(d.file), bytes(d.message)});
  for (const Dependency& d : c.dependencies) owner->dependencies.push_back({bytes(d.path), d.present});
  for (std::uint64_t offset : c.relocations) owner->relocations.push_back({offset});

  owner->phases = to_json(c.clock.phases());
  owner->result = {.ok = c.ok,
                   .log = bytes(c.log),
                   .diagnostics = owner->diagnostics.data(),
                   .diagnostic_count = owner->diagnostics.size(),
                   .bitcode = bytes(c.bitcode),
                   .kernels = owner->kernels.data(),
                   .kernel_count = owner->kernels.size(),
                   .variables = owner->variables.data(),
                   .variable_count = owner->variables.size(),
                   .data = bytes(c.data),
                   .data_bytes = c.data_bytes,
                   .relocations = owner->relocations.data(),
                   .relocation_count = owner->relocations.size(),
                   .dependencies = owner->dependencies.data(),
                   .dependency_count = owner->dependencies.size(),
                   .phases = bytes(owner->phases),
                   .seconds = c.clock.seconds(),
                   .owner = owner};
  return &owner->result;
}

LanzaSpecialiseResult* make_result(Specialised&& specialised) {
  auto* owner = new SpecialiseOwner;
  owner->specialised = std::move(specialised);
  const Specialised& s = owner->specialised;
  owner->phases = to_json(s.phases);
  owner->result = {s.ok, s.generic, bytes(s.log), bytes(s.object), bytes(owner->phases), s.seconds, owner};
  return &owner->result;
}

LanzaPtxResult* make_result(Ptx&& ptx) {
  auto* owner = new PtxOwner;
  owner->ptx = std::move(ptx);
  const Ptx& p = owner->ptx;
  owner->result = {p.ok, bytes(p.log), bytes(p.text), p.seconds, owner};
  return &owner->result;
}

void free_result(LanzaCompileResult* result) {
  if (result) delete static_cast<CompileOwner*>(result->owner);
}
void free_result(LanzaSpecialiseResult* result) {
  if (result) delete static_cast<SpecialiseOwner*>(result->owner);
}
void free_result(LanzaPtxResult* result) {
  if (result) delete static_cast<PtxOwner*>(result->owner);
}

}  // namespace lanza::compiler
