// Build tool: compiles device functions to bitcode that passes link in.   lanza-write-functions input.cu output.bc
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/compile.hpp"
#include "compiler/frontend/embedded.hpp"

// The prelude's text serves: this runs once.
extern "C" const lanza::compiler::EmbeddedFile lanza_embedded_pchs[] = {{nullptr, nullptr, 0}};

// What a module says of itself would meet the same of the module that it is linked into.
static void strip(llvm::Module& module) {
  llvm::StripDebugInfo(module);
  while (!module.named_metadata_empty()) module.eraseNamedMetadata(&*module.named_metadata_begin());
}

int main(int argc, char** argv) {
  if (argc != 3) {
    llvm::errs() << "usage: lanza-write-functions INPUT OUTPUT\n";
    return 2;
  }
  auto source = llvm::MemoryBuffer::getFile(argv[1]);
  if (!source) {
    llvm::errs() << argv[1] << ": " << source.getError().message() << '\n';
    return 1;
  }
  LanzaCompileRequest request{};
  request.source = {(*source)->getBufferStart(), (*source)->getBufferSize()};
  const llvm::StringRef name("ptx_functions.cu");
  request.filename = {name.data(), name.size()};
  lanza::compiler::Compiled compiled;
  lanza::compiler::compile(request, compiled);
  llvm::errs() << compiled.log;
  if (!compiled.ok) return 1;

  llvm::LLVMContext context;
  auto module = llvm::cantFail(llvm::parseBitcodeFile({compiled.bitcode, name}, context));
  strip(*module);
  std::error_code error;
  llvm::raw_fd_ostream out(argv[2], error);
  if (error) {
    llvm::errs() << argv[2] << ": " << error.message() << '\n';
    return 1;
  }
  llvm::WriteBitcodeToFile(*module, out);
  return 0;
}
