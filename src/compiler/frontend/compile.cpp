#include "compiler/frontend/compile.hpp"

#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/alignments.hpp"
#include "compiler/frontend/child_kernels.hpp"
#include "compiler/frontend/diagnostics.hpp"
#include "compiler/frontend/edited_text.hpp"
#include "compiler/frontend/inline_asm.hpp"
#include "compiler/frontend/instance.hpp"
#include "compiler/frontend/kernels.hpp"
#include "compiler/frontend/launches.hpp"
#include "compiler/frontend/limits.hpp"
#include "compiler/frontend/names.hpp"
#include "compiler/frontend/options.hpp"
#include "compiler/frontend/preloaded.hpp"
#include "compiler/frontend/undefined.hpp"
#include "compiler/frontend/unsupported.hpp"
#include "compiler/frontend/variables.hpp"
#include "compiler/passes/function_numbers.hpp"

using namespace llvm;

namespace lanza::compiler {
namespace {

std::string text_of(const LanzaBytes& bytes) { return std::string(bytes.data, bytes.size); }

/// Arithmetic and debug options, for the passes: the IR itself is the same for all of them.
void add_module_flags(Module& module, const Options& options) {
  const auto flag = [&](StringRef name, bool value) { module.addModuleFlag(Module::Override, name, value); };
  flag("lanza.fmad", options.fmad);
  flag("lanza.ftz", options.ftz);
  flag("lanza.prec_div", options.prec_div);
  flag("lanza.prec_sqrt", options.prec_sqrt);
  flag("lanza.fast_math", options.fast_math);
  flag("lanza.debug", options.debug);
}

// -default-device: what has no execution space is for the device. The pragmas hold from before the source to its end.
constexpr const char* default_device_path = "/__lanza__/default_device.h";
constexpr StringRef default_device_begin =
    "#pragma clang force_cuda_host_device begin\n"
    "#pragma clang attribute push(__attribute__((device)), apply_to = variable(is_global))\n";
constexpr StringRef default_device_end = "\n\n#pragma clang attribute pop\n#pragma clang force_cuda_host_device end\n";

/// Before code generation: watches Sema and the declarations.
class Observer : public clang::SemaConsumer {
 public:
  Observer(NamedEntities& entities, clang::CodeGenerator& generator, PhaseClock& clock)
      : entities_(entities), generator_(generator), clock_(clock) {}
  void InitializeSema(clang::Sema& sema) override {
    clock_.note("prelude");
    sema_ = &sema;
    limit_templates(sema);
  }
  void ForgetSema() override { sema_ = nullptr; }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl* declaration : group) entities_.see(declaration);
    if (sema_) allow_launches(*sema_);
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext&) override {
    clock_.note("parse");
    entities_.emit_variables(generator_);
  }

 private:
  NamedEntities& entities_;
  clang::CodeGenerator& generator_;
  PhaseClock& clock_;
  clang::Sema* sema_ = nullptr;
};

/// After code generation, while the AST is there: describes what was made.
class Describer : public clang::ASTConsumer {
 public:
  Describer(clang::CompilerInstance& instance, clang::CodeGenerator& generator, const NamedEntities& entities,
            const LanzaCompileRequest& request, const Options& options, Compiled& result)
      : instance_(instance),
        generator_(generator),
        entities_(entities),
        request_(request),
        options_(options),
        result_(result) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    result_.clock.note("generate");
    entities_.check(instance_.getDiagnostics());
    Module* module = generator_.GetModule();
    if (!module || instance_.getDiagnostics().hasErrorOccurred()) return;
    check_inline_asm(instance_, *module);
    report_undefined(instance_, generator_, *module);
    number_functions(*module);
    lay_out_variables(instance_, generator_, *module, entities_, request_.names, result_);
    launch_children(context, generator_, *module);
    if (instance_.getDiagnostics().hasErrorOccurred()) return;
    result_.kernels = describe_kernels(context, generator_, *module, entities_, request_.names);
    add_module_flags(*module, options_);
    raw_string_ostream stream(result_.bitcode);
    WriteBitcodeToFile(*module, stream);
    result_.clock.note("write");
    result_.ok = true;
  }

 private:
  clang::CompilerInstance& instance_;
  clang::CodeGenerator& generator_;
  const NamedEntities& entities_;
  const LanzaCompileRequest& request_;
  const Options& options_;
  Compiled& result_;
};

class CompileAction : public clang::ASTFrontendAction {
 public:
  CompileAction(const LanzaCompileRequest& request, const Options& options, Compiled& result)
      : request_(request), options_(options), result_(result) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, StringRef file) override {
    limit_preprocessor(instance);
    report_unsupported_headers(instance);
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        instance.getDiagnostics(), file, &instance.getVirtualFileSystem(), instance.getHeaderSearchOpts(),
        instance.getPreprocessorOpts(), instance.getCodeGenOpts(), context_));
    clang::CodeGenerator& code = *generator;
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<Observer>(entities_, code, result_.clock));
    consumers.push_back(std::move(generator));
    consumers.push_back(std::make_unique<Describer>(instance, code, entities_, request_, options_, result_));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  const LanzaCompileRequest& request_;
  const Options& options_;
  Compiled& result_;
  LLVMContext context_;
  NamedEntities entities_;
};

// Headers given as text are shown by the names that they were given under.
const std::string request_prefix = std::string(request_headers_dir) + "/";

/// A name without a folder is shown as it is given, and "#include "x"" does not look beside it: it is text, not a file.
std::string source_name(const LanzaCompileRequest& request) {
  std::string name = text_of(request.filename);
  return name.empty() ? "kernel.cu" : name;
}

/// The prelude, with headers that the source includes where nothing can change their text.
std::string pch_for(const LanzaCompileRequest& request, const Options& options) {
  bool as_they_are = request.header_count == 0 && options.pre_includes.empty();
  for (const std::string& macro : options.macros) as_they_are &= macro.find("CUDA_NO_") == std::string::npos;
  const std::string headers =
      as_they_are ? preloaded_headers({request.source.data, request.source.size}) : std::string();
  return pch_path(options.standard, headers);
}

std::vector<std::string> arguments_for(const LanzaCompileRequest& request, const Options& options,
                                       const std::string& pch) {
  std::vector<std::string> a = language_arguments(options.standard);
  if (pch.empty())
    a.insert(a.end(), {"-include", prelude_path});
  else
    a.insert(a.end(), {"-include-pch", pch});
  // The IR always allows contraction; whether it is done is the passes' flag. The same PCH serves both. Numbers that no
  // integer holds become the nearest one, constants, too (saturate_conversions.hpp).
  a.insert(a.end(), {"-ffp-contract=fast", "-fno-strict-float-cast-overflow"});
  if (!options.debug) a.push_back("-discard-value-names");
  a.insert(a.end(), {options.debug ? "-debug-info-kind=constructor" : "-debug-info-kind=line-tables-only",
                     "-dwarf-version=5", "-debugger-tuning=gdb",
                     // The working folder is no part of the result.
                     "-fdebug-compilation-dir=" + options.debug_directory, "-fdebug-prefix-map=" + request_prefix + "=",
                     "-fmacro-prefix-map=" + request_prefix + "=", "-main-file-name", source_name(request)});
  // Warnings about what is usual in CUDA sources.
  a.insert(a.end(),
           {"-Wno-unknown-pragmas", "-Wno-pragma-once-outside-header", "-Wno-register", "-Wno-deprecated-volatile",
            "-Wno-c++26-extensions", "-Wno-error=c++11-narrowing", "-Wno-undefined-internal"});
  a.insert(a.end(), {"-ferror-limit", "50"});
  a.insert(a.end(), options.warnings.begin(), options.warnings.end());
  a.insert(a.end(), options.macros.begin(), options.macros.end());
  if (options.default_device) a.insert(a.end(), {"-include", default_device_path});
  for (const std::string& file : options.pre_includes) a.insert(a.end(), {"-include", file});
  // Our headers stand before the user's folders: the toolkit's own cuda_runtime.h would define all of the prelude
  // again.
  a.insert(a.end(), {"-I", request_headers_dir, "-I", user_headers_dir});
  for (const std::string& dir : options.include_dirs) a.insert(a.end(), {"-I", dir});
  for (std::size_t i = 0; i < request.include_dir_count; ++i)
    a.insert(a.end(), {"-I", text_of(request.include_dirs[i])});
  // cuda/std and its like after them: CCCL's headers belong together, and need each other's insides.
  a.insert(a.end(), {"-I", library_headers_dir});
  return a;
}

// A note on a macro of the prelude, and its lines of source.
void drop_prelude_notes(std::string& log) {
  std::string kept;
  bool dropping = false;
  for (StringRef rest = log; !rest.empty();) {
    const auto end = rest.find('\n');
    const StringRef line = rest.take_front(end == StringRef::npos ? end : end + 1);
    rest = rest.drop_front(line.size());
    if (!line.starts_with(" ")) dropping = is_virtual_prelude(line) && line.contains(": note: ");
    if (!dropping) kept += line;
  }
  log = std::move(kept);
}

void show_header_names(Compiled& result) {
  drop_prelude_notes(result.log);
  for (Diagnostic& d : result.diagnostics)
    if (StringRef(d.file).starts_with(request_prefix)) d.file.erase(0, request_prefix.size());
  for (auto at = result.log.find(request_prefix); at != std::string::npos; at = result.log.find(request_prefix, at))
    result.log.erase(at, request_prefix.size());
}

// CUDA C++ that clang 19 has no syntax for.
const std::string& as_clang_takes_it(EditedText& text) {
  rewrite_alignments(text);
  rewrite_launches(text);
  return text.now();
}

/// One run of clang, with the first `name_count` name expressions.
void run_clang(const LanzaCompileRequest& request, const Options& options, std::size_t name_count, Compiled& result) {
  const std::string pch = pch_for(request, options);
  Files files = make_files(pch);
  EditedTexts texts;
  for (std::size_t i = 0; i < request.header_count; ++i) {
    const std::string path = std::string(request_headers_dir) + "/" + text_of(request.headers[i].name);
    EditedText& text = texts.insert_or_assign(path, EditedText(text_of(request.headers[i].text))).first->second;
    files.memory->addFile(path, 0, MemoryBuffer::getMemBufferCopy(as_clang_takes_it(text), path));
  }
  const std::string name = source_name(request);
  std::string source =
      as_clang_takes_it(texts.insert_or_assign(name, EditedText(text_of(request.source))).first->second);
  if (options.default_device) {
    files.memory->addFile(default_device_path, 0, MemoryBuffer::getMemBuffer(default_device_begin));
    source += default_device_end;
  }
  source += text_for_names(request.names, name_count);
  const std::unique_ptr<MemoryBuffer> buffer = MemoryBuffer::getMemBuffer(source, name);
  const bool is_path = options.source_include && StringRef(name).contains('/');
  if (is_path) files.memory->addFile(name, 0, MemoryBuffer::getMemBuffer(source, name));

  for (const std::string& dir : options.include_dirs) files.real->see_include_dir(dir);
  for (std::size_t i = 0; i < request.include_dir_count; ++i)
    files.real->see_include_dir(text_of(request.include_dirs[i]));
  auto instance = make_instance(arguments_for(request, options, pch), files,
                                std::make_unique<DiagnosticRecorder>(texts, result.log, result.diagnostics));
  if (!instance) return;
  const clang::InputKind kind(clang::Language::CUDA);
  clang::FrontendInputFile input =
      is_path ? clang::FrontendInputFile(name, kind) : clang::FrontendInputFile(*buffer, kind);
  instance->getFrontendOpts().Inputs = {input};
  CompileAction action(request, options, result);
  if (!instance->ExecuteAction(action)) result.ok = false;
  show_header_names(result);
  result.dependencies = files.real->dependencies();
}

/// clang speaks of our helper variable when the expression is a set of functions.
std::string message_for_expression(const std::string& message) {
  if (message.find("__lanza_name_") == std::string::npos) return message;
  return "this names several functions: give all template arguments, as in axpy<float>, or cast an overloaded "
         "function to its type, as in (void (*)(int*))k";
}

/// The errors that lie in name expressions, each with the expression that it is about. Empty: there are none.
void quote_expressions(const LanzaCompileRequest& request, Compiled& result) {
  std::string log;
  for (Diagnostic& d : result.diagnostics) {
    if (d.file == names_file) {
      const std::size_t i = std::min(name_at_line(d.line), request.name_count - 1);
      if (d.severity == LANZA_ERROR)
        d.message = "name expression '" + text_of(request.names[i]) + "': " + message_for_expression(d.message);
      d.file.clear();
      d.line = d.column = 0;
    }
    log += to_line(d);
  }
  result.log = std::move(log);
}

bool has_error_in_names(const Compiled& result) {
  for (const Diagnostic& d : result.diagnostics)
    if (d.severity == LANZA_ERROR && d.file == names_file) return true;
  return false;
}

void fail(Compiled& result, const std::string& sentence) {
  result.diagnostics.push_back({.severity = LANZA_ERROR, .message = sentence});
  result.log += to_line(result.diagnostics.back());
}

}  // namespace

void compile(const LanzaCompileRequest& request, Compiled& result) {
  Options options;
  if (const std::string problem = parse_options(request.options, request.option_count, options); !problem.empty())
    return fail(result, problem);

  run_clang(request, options, request.name_count, result);
  if (result.ok || request.name_count == 0 || !has_error_in_names(result)) return;
  // Either an expression is wrong, or the source is, and only says so at its end, where the expressions stand. Without
  // them we know.
  Compiled alone;
  run_clang(request, options, 0, alone);
  if (!alone.ok)
    result = std::move(alone);
  else
    quote_expressions(request, result);
}

}  // namespace lanza::compiler
