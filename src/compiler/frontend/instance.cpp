#include "compiler/frontend/instance.hpp"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace lanza::compiler {

std::vector<std::string> language_arguments(const std::string& standard) {
  return {"-x", "cuda", "-std=" + standard, "-fcuda-is-device",
          // Parameters, printf and address spaces as the GPU has them; the same IR becomes PTX (decision D4).
          "-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-pc-linux-gnu", "-target-cpu", "sm_80",
          "-target-feature", "+ptx78",
          // As NVRTC looks to a source: neither clang nor GCC.
          "-U__clang__", "-U__cpp_pack_indexing", "-fgnuc-version=0", "-fcuda-allow-variadic-functions", "-fdeclspec",
          "-fcxx-exceptions", "-fexceptions",
          // Unoptimised IR of code that is meant to be optimised.
          "-O2", "-disable-llvm-passes", "-fno-threadsafe-statics",
          // A kernel's `new` may find no memory.
          "-fcheck-new",
          // What reads through a null pointer, or leaves a function without its result, is wrong in that thread alone:
          // it faults there, or goes on with any value. LLVM would take the code before it for unreachable, too.
          "-fno-delete-null-pointer-checks", "-fno-strict-return",
          // Shared memory is reused as another type across a barrier (decision D4).
          "-relaxed-aliasing",
          // What a source can ask of the compiler before it is refused.
          "-ftemplate-depth=512", "-fconstexpr-depth=512", "-fconstexpr-steps=4000000", "-fbracket-depth", "256",
          "-Wno-builtin-macro-redefined", "-nobuiltininc", "-nostdsysteminc", "-nostdinc++"};
}

std::unique_ptr<clang::CompilerInstance> make_instance(const std::vector<std::string>& arguments, const Files& files,
                                                       std::unique_ptr<clang::DiagnosticConsumer> client) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());

  auto instance = std::make_unique<clang::CompilerInstance>();
  clang::DiagnosticsEngine early(makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                 makeIntrusiveRefCnt<clang::DiagnosticOptions>(), client.get(),
                                 /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, early)) return nullptr;
  invocation->getFrontendOpts().DisableFree = false;
  instance->setInvocation(std::move(invocation));
  instance->createDiagnostics(client.release(), /*ShouldOwnClient=*/true);
  instance->setVerboseOutputStream(nulls());  // "1 error generated."
  instance->createFileManager(files.all);
  instance->createSourceManager(instance->getFileManager());
  return instance;
}

}  // namespace lanza::compiler
