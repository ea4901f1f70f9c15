// Frames of code that keeps vectors in memory.
#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include "compiler/codegen/host_pipeline.hpp"
#include "compiler/codegen/target.hpp"

namespace lanza::compiler::testing {
namespace {

// Loads that many vectors, and stores them.
std::string moves(unsigned count) {
  std::string loads, stores;
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    loads += "  %v" + n + " = load volatile <8 x float>, ptr %p\n";
    stores += "  store volatile <8 x float> %v" + n + ", ptr %p\n";
  }
  return "define void @moves(ptr %p) {\n" + loads + stores + "  ret void\n}\n";
}

llvm::MaybeAlign frame_of(unsigned count) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic message;
  const auto module = llvm::parseAssemblyString(moves(count), message, context);
  std::string error;
  const Machine host = host_machine("x86-64-v3", true, error);
  if (!module || !host) throw std::runtime_error(message.getMessage().str() + error);
  module->setTargetTriple(host->getTargetTriple().str());
  module->setDataLayout(host->createDataLayout());
  llvm::Function& function = *module->getFunction("moves");
  function.addFnAttr("target-cpu", "x86-64-v3");
  EXPECT_NE(emit_object(*module, *host, error), "") << error;
  return function.getFnStackAlign();
}

// There are 16 registers.
TEST(Frames, VectorsThatNoRegisterHoldsLieInOneLineEach) {
  EXPECT_TRUE(frame_of(40) == llvm::Align(32));
  EXPECT_FALSE(frame_of(10));
}

}  // namespace
}  // namespace lanza::compiler::testing
