#include "compiler/passes/debug_variables.hpp"

#include <cstddef>

#include <llvm/ADT/SetVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/virtual_paths.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr char kNoted[] = "lanza.debug.variables";
enum Operand : unsigned { kVariable, kBase, kOffset };

/// A function of the user in the kernel: itself, or a place where it is inlined.
using Frame = std::pair<DISubprogram*, DILocation*>;

class DebugVariables {
 public:
  DebugVariables(Function& f, AllocaInst& record) : f_(f), record_(record), c_(f.getContext()) {}

  void run() {
    SmallSetVector<Frame, 8> frames;
    if (DISubprogram* kernel = f_.getSubprogram()) frames.insert({kernel, nullptr});
    for (Instruction& i : instructions(f_))
      for (const DILocation* at = i.getDebugLoc(); at; at = at->getInlinedAt())
        if (!is_virtual_prelude(at->getFilename()))
          frames.insert({at->getScope()->getSubprogram(), at->getInlinedAt()});
    for (const Frame& frame : frames) declare_all(frame);
    keep_in_frame();
  }

 private:
  static constexpr uint64_t kDeref = dwarf::DW_OP_deref, kPlus = dwarf::DW_OP_plus_uconst;

  void declare_all(const Frame& frame) {
    const uint64_t block = offsetof(LanzaRecord, block), launch = offsetof(LanzaBlock, launch);
    declare(frame, "threadIdx", index_type(16), {kPlus, offsetof(LanzaRecord, tid)});
    declare(frame, "blockIdx", index_type(32), {kPlus, block, kDeref, kPlus, offsetof(LanzaBlock, index)});
    declare(frame, "blockDim", index_type(32),
            {kPlus, block, kDeref, kPlus, launch, kDeref, kPlus, offsetof(LanzaLaunch, block)});
    declare(frame, "gridDim", index_type(32),
            {kPlus, block, kDeref, kPlus, launch, kDeref, kPlus, offsetof(LanzaLaunch, grid)});
    const NamedMDNode* noted = f_.getParent()->getNamedMetadata(kNoted);
    if (!noted) return;
    for (const MDNode* node : noted->operands()) {
      auto* variable = cast<DIGlobalVariable>(node->getOperand(kVariable));
      const uint64_t offset = mdconst::extract<ConstantInt>(node->getOperand(kOffset))->getZExtValue();
      if (cast<MDString>(node->getOperand(kBase))->getString() == kSharedBase)
        declare(frame, variable->getName(), variable->getType(),
                {kPlus, block, kDeref, kPlus, offsetof(LanzaBlock, shared), kDeref, kPlus, offset});
      else
        declare(frame, variable->getName(), variable->getType(),
                {kPlus, block, kDeref, kPlus, launch, kDeref, kPlus, offsetof(LanzaLaunch, globals), kDeref, kPlus,
                 offset});
    }
  }

  void declare(const Frame& frame, StringRef name, DIType* type, ArrayRef<uint64_t> place) {
    auto [scope, inlined_at] = frame;
    auto* variable = DILocalVariable::get(c_, scope, name, scope->getFile(), scope->getLine(), type, 0,
                                          DINode::FlagArtificial, 0, nullptr);
    auto* at = DILocation::get(c_, scope->getLine(), 0, scope, inlined_at);
    auto* declaration = DbgVariableRecord::createDVRDeclare(&record_, variable, DIExpression::get(c_, place), at);
    record_.getParent()->insertDbgRecordBefore(declaration, record_.getParent()->getTerminator()->getIterator());
  }

  // struct { unsigned x, y, z; }
  DIType* index_type(unsigned bits) {
    DIType*& known = bits == 16 ? narrow_ : wide_;
    if (known) return known;
    auto* number = DIBasicType::get(c_, dwarf::DW_TAG_base_type, bits == 16 ? "unsigned short" : "unsigned int", bits,
                                    0, dwarf::DW_ATE_unsigned, DINode::FlagZero);
    SmallVector<Metadata*, 3> members;
    for (unsigned i = 0; i < 3; ++i)
      members.push_back(DIDerivedType::get(c_, dwarf::DW_TAG_member, StringRef("xyz").substr(i, 1), nullptr, 0, nullptr,
                                           number, bits, 0, i * bits, std::nullopt, std::nullopt, DINode::FlagZero));
    return known = DICompositeType::get(c_, dwarf::DW_TAG_structure_type, "uint3", nullptr, 0, nullptr, nullptr,
                                        3 * bits, 0, 0, DINode::FlagZero, MDNode::get(c_, members), 0, nullptr);
  }

  // A variable that is not used behind a point of synchronisation would not be in the frame there.
  void keep_in_frame() {
    SmallVector<Instruction*, 4> ends;
    SmallVector<AllocaInst*, 16> variables;
    for (Instruction& i : instructions(f_)) {
      if (isa<ReturnInst>(i)) ends.push_back(&i);
      if (auto* alloca = dyn_cast<AllocaInst>(&i); alloca && alloca != &record_ && !findDVRDeclares(alloca).empty())
        variables.push_back(alloca);
    }
    auto* use = InlineAsm::get(FunctionType::get(Type::getVoidTy(c_), {PointerType::get(c_, 0)}, false), "", "r",
                               /*hasSideEffects=*/true);
    for (Instruction* end : ends)
      for (AllocaInst* variable : variables) IRBuilder<>(end).CreateCall(use, {variable});
  }

  Function& f_;
  AllocaInst& record_;
  LLVMContext& c_;
  DIType *narrow_ = nullptr, *wide_ = nullptr;
};

}  // namespace

void note_debug_variable(GlobalVariable& variable, StringRef base, uint64_t offset) {
  SmallVector<DIGlobalVariableExpression*, 1> described;
  variable.getDebugInfo(described);
  if (described.empty()) return;
  LLVMContext& c = variable.getContext();
  auto* number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(c), offset));
  variable.getParent()->getOrInsertNamedMetadata(kNoted)->addOperand(
      MDNode::get(c, {described.front()->getVariable(), MDString::get(c, base), number}));
}

void declare_debug_variables(Function& coroutine, AllocaInst& record) {
  if (module_flag(*coroutine.getParent(), "lanza.debug", 0)) DebugVariables(coroutine, record).run();
}

}  // namespace lanza::compiler
