// The plug-in's C table, translated: the only place that turns its results into Code and CompileError.
#include "backend/front_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string_view>

#include "backend/debug_source.hpp"
#include "compiler/loader.hpp"

namespace lanza::backend {
namespace {

LanzaBytes bytes_of(const std::string& text) { return {text.data(), text.size()}; }
std::string string_of(LanzaBytes bytes) { return bytes.data ? std::string(bytes.data, bytes.size) : std::string(); }

std::vector<LanzaBytes> bytes_of(const std::vector<std::string>& texts) {
  std::vector<LanzaBytes> all;
  for (const auto& text : texts) all.push_back(bytes_of(text));
  return all;
}

Parameter parameter_of(const LanzaParameter& p) {
  Parameter parameter;
  parameter.name = string_of(p.name);
  parameter.type = string_of(p.type);
  parameter.kind = p.kind == LANZA_PARAMETER_POINTER  ? Parameter::Kind::Pointer
                   : p.kind == LANZA_PARAMETER_SCALAR ? Parameter::Kind::Scalar
                                                      : Parameter::Kind::Record;
  parameter.dtype = static_cast<DType>(p.dtype);
  parameter.read_only = p.read_only != 0;
  parameter.element_size = p.element_size;
  parameter.offset = p.offset;
  parameter.size = p.size;
  return parameter;
}

KernelInfo kernel_of(const LanzaKernelInfo& k) {
  KernelInfo info;
  info.symbol = string_of(k.symbol);
  info.name = string_of(k.name);
  info.expression = string_of(k.expression);
  for (std::size_t i = 0; i < k.parameter_count; ++i)
    info.signature.parameters.push_back(parameter_of(k.parameters[i]));
  info.signature.bytes = k.argument_bytes;
  info.max_threads = k.max_threads;
  info.static_shared = k.static_shared;
  return info;
}

VariableInfo variable_of(const LanzaVariableInfo& v) {
  return {string_of(v.symbol), string_of(v.name), string_of(v.expression), v.offset, v.size,
          v.constant != 0,     v.folded != 0};
}

// "kernel.cu:3:5: error: use of undeclared identifier 'x'"
std::string line_of(const LanzaDiagnostic& d, const char* severity, const CompileRequest& request) {
  if (d.file.size == 0) return fmt::format("{}: {}: {}", request.filename, severity, string_of(d.message));
  const std::string place = d.line ? fmt::format(":{}:{}", d.line, d.column) : "";
  return fmt::format("{}{}: {}: {}", string_of(d.file), place, severity, string_of(d.message));
}

struct Span {
  std::size_t begin, end;
};

// Where the log has the line of a diagnostic, whatever it calls it; npos: nowhere.
Span find_line(std::string_view log, const LanzaDiagnostic& d, const CompileRequest& request) {
  for (const char* severity : {"error", "fatal error", "warning"}) {
    const std::string line = line_of(d, severity, request);
    if (const std::size_t at = log.find(line); at != log.npos) return {at, at + line.size()};
  }
  return {log.npos, log.npos};
}

// What the log adds to the line of an error, up to that of the next: the user's own line with a caret, notes, hints.
std::string explanation(std::string_view log, const LanzaDiagnostic& error, const LanzaDiagnostic* next,
                        const CompileRequest& request) {
  const Span line = find_line(log, error, request);
  if (line.end == log.npos) return {};
  std::string_view rest = log.substr(line.end);
  if (next) rest = rest.substr(0, find_line(rest, *next, request).begin);
  while (!rest.empty() && rest.back() == '\n') rest.remove_suffix(1);
  return std::string(rest);
}

// The first error with all that is said of it, and where it is.
CompileError error_of(const LanzaCompileResult& result, const CompileRequest& request) {
  CompileError::Details details;
  details.log = string_of(result.log);
  details.options = fmt::format("{}", fmt::join(request.options, " "));
  const LanzaDiagnostic *first = nullptr, *next = nullptr;
  std::size_t errors = 0;
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) {
    const LanzaDiagnostic& d = result.diagnostics[i];
    if (d.severity == LANZA_NOTE) continue;
    if (first && !next) next = &d;
    if (d.severity == LANZA_ERROR && errors++ == 0) first = &d;
  }
  if (!first) {
    const auto why = details.log.empty() ? std::string("the compiler failed without a message") : details.log;
    return CompileError(fmt::format("{}: error: {}", request.filename, why), std::move(details));
  }
  details.file = string_of(first->file);
  details.line = first->line;
  details.column = first->column;
  std::string message = line_of(*first, "error", request) + explanation(details.log, *first, next, request);
  if (errors > 1) message += fmt::format("\n(and {} more: the log has all)", errors - 1);
  return CompileError(message, std::move(details));
}

}  // namespace

CompileResult compile_to_bitcode(const CompileRequest& request) {
  const LanzaCompiler& plugin = compiler::plugin();
  auto all_options = request.options;
  if (const auto folder = write_debug_source(request)) all_options.push_back("--debug-directory=" + folder->string());
  const auto options = bytes_of(all_options), include_dirs = bytes_of(request.include_dirs),
             names = bytes_of(request.names);
  std::vector<LanzaHeaderText> headers;
  for (const auto& header : request.headers) headers.push_back({bytes_of(header.name), bytes_of(header.text)});

  LanzaCompileRequest r{};
  r.source = bytes_of(request.source);
  r.filename = bytes_of(request.filename);
  r.options = options.data(), r.option_count = options.size();
  r.include_dirs = include_dirs.data(), r.include_dir_count = include_dirs.size();
  r.headers = headers.data(), r.header_count = headers.size();
  r.names = names.data(), r.name_count = names.size();
  const std::unique_ptr<LanzaCompileResult, void (*)(LanzaCompileResult*)> result(plugin.compile(&r),
                                                                                  plugin.free_compile);
  if (!result)
    throw CompileError(fmt::format("{}: error: the compiler gave no result (no memory)", request.filename), {});
  if (!result->ok) throw error_of(*result, request);

  CompileResult compiled;
  auto& code = compiled.code;
  code.kind = "bitcode";
  code.image = string_of(result->bitcode);
  for (std::size_t i = 0; i < result->kernel_count; ++i) code.kernels.push_back(kernel_of(result->kernels[i]));
  for (std::size_t i = 0; i < result->variable_count; ++i) code.variables.push_back(variable_of(result->variables[i]));
  code.data = string_of(result->data);
  code.data_bytes = result->data_bytes;
  for (std::size_t i = 0; i < result->relocation_count; ++i) code.relocations.push_back(result->relocations[i].offset);
  code.log = string_of(result->log);
  code.compiler = plugin.about;
  code.phases = string_of(result->phases);
  for (std::size_t i = 0; i < result->dependency_count; ++i) {
    compiled.dependencies.push_back({string_of(result->dependencies[i].path), result->dependencies[i].present != 0});
  }
  return compiled;
}

}  // namespace lanza::backend
