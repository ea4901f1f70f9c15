#include "compiler/codegen/object_beside.hpp"

#include <stdexcept>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/host_pipeline.hpp"
#include "compiler/codegen/keep_errors.hpp"
#include "compiler/codegen/target.hpp"
#include "compiler/guard.hpp"

using namespace llvm;

namespace lanza::compiler {

static void emit(StringRef bitcode, const std::string& target, ObjectBeside::Result& result) {
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(result.errors));
  context.setDiscardValueNames(true);
  auto module = parseBitcodeFile({bitcode, "beside"}, context);
  if (!module) throw std::runtime_error("the code beside: " + toString(module.takeError()));
  if (verifyModule(**module)) throw std::runtime_error("the code beside is malformed");
  if (const Machine host = host_machine(target, true, result.errors))
    result.object = emit_object(**module, *host, result.errors);
}

ObjectBeside::ObjectBeside(const Module& module, std::string target) : result_(std::make_shared<Result>()) {
  auto bitcode = std::make_shared<SmallVector<char, 0>>();
  raw_svector_ostream stream(*bitcode);
  WriteBitcodeToFile(module, stream);
  work_ = std::make_unique<GuardedWork>([bitcode, target = std::move(target), result = result_] {
    emit({bitcode->data(), bitcode->size()}, target, *result);
  });
}

ObjectBeside::~ObjectBeside() = default;

const ObjectBeside::Result& ObjectBeside::wait() {
  if (const std::string& failure = work_->wait(); !failure.empty()) throw std::runtime_error(failure);
  return *result_;
}

}  // namespace lanza::compiler
