#include "compiler/codegen/undef_operands.hpp"

#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kWhole = 128;  // bits: of what is narrower, each register in use is asked for by its own name

class DefineOperands : public MachineFunctionPass {
 public:
  DefineOperands() : MachineFunctionPass(id) {}

  bool runOnMachineFunction(MachineFunction& function) override {
    const TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
    const TargetRegisterInfo& registers = *function.getSubtarget().getRegisterInfo();
    bool changed = false;
    for (MachineBasicBlock& block : function)
      for (MachineInstr& i : block)
        for (MachineOperand& operand : i.explicit_uses()) {
          if (!operand.isReg() || !operand.isUndef() || !operand.getReg().isPhysical() || operand.isTied()) continue;
          if (!instructions.getUndefRegClearance(i, operand.getOperandNo(), &registers)) continue;
          const TargetRegisterClass* kind = registers.getMinimalPhysRegClass(operand.getReg());
          if (registers.getRegSizeInBits(*kind) <= kWhole) continue;
          operand.setIsUndef(false);
          changed = true;
        }
    return changed;
  }

  StringRef getPassName() const override { return "Lanza's operands for BreakFalseDeps"; }

  void getAnalysisUsage(AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 private:
  static inline char id = 0;
};

}  // namespace

MachineFunctionPass* make_define_operands() { return new DefineOperands; }

}  // namespace lanza::compiler
