#include "compiler/codegen/code_beside.hpp"

#include <stdexcept>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/host_pipeline.hpp"
#include "compiler/codegen/keep_errors.hpp"
#include "compiler/codegen/kernel_object.hpp"
#include "compiler/codegen/target.hpp"
#include "compiler/codegen/vector_engine.hpp"
#include "compiler/guard.hpp"
#include "compiler/passes/register_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

struct Request {
  SmallVector<char, 0> bitcode;
  std::string kernel, target, name;
  GroupShape group;
  BlockPart part;
};

void build(const Request& request, CodeBeside::Result& result) {
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(result.errors));
  context.setDiscardValueNames(true);
  auto module = parseBitcodeFile({{request.bitcode.data(), request.bitcode.size()}, "beside"}, context);
  if (!module) throw std::runtime_error("the code beside: " + toString(module.takeError()));
  const Machine host = host_machine(request.target, true, result.errors);
  if (!host) return;
  result.form = build_groups(*(*module)->getFunction(request.kernel), request.group, *host, request.part);
  finish_code(**module, *host);
  keep_notes_in_registers(*result.form.run);
  export_only(**module, *result.form.run, request.name);
  if (verifyModule(**module)) throw std::runtime_error("the code beside is malformed");
  result.form.run = nullptr;
  result.form.shared = nullptr;
  result.object = emit_object(**module, *host, result.errors);
}

}  // namespace

CodeBeside::CodeBeside(const Function& kernel, const GroupShape& group, BlockPart part, std::string target,
                       std::string name)
    : result_(std::make_shared<Result>()) {
  auto request =
      std::make_shared<Request>(Request{{}, kernel.getName().str(), std::move(target), std::move(name), group, part});
  raw_svector_ostream stream(request->bitcode);
  WriteBitcodeToFile(*kernel.getParent(), stream);
  work_ = std::make_unique<GuardedWork>([request, result = result_] { build(*request, *result); });
}

CodeBeside::~CodeBeside() = default;

const CodeBeside::Result& CodeBeside::wait() {
  if (const std::string& failure = work_->wait(); !failure.empty()) throw std::runtime_error(failure);
  return *result_;
}

}  // namespace lanza::compiler
