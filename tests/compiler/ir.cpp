#include "compiler/ir.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <stdexcept>

namespace lanza::test {

std::string disassemble(std::string_view bitcode) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef({bitcode.data(), bitcode.size()}, "test"), context);
  if (!module) throw std::runtime_error(llvm::toString(module.takeError()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(**module, &stream)) throw std::runtime_error(text);
  (*module)->print(stream, nullptr);
  return text;
}

}  // namespace lanza::test
