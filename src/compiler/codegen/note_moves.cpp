#include "compiler/codegen/note_moves.hpp"

#include <array>

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int kRegisters = 8;

/// LLVM's numbers of instructions and registers, which only its own sources may include.
struct Numbers {
  Numbers(const TargetInstrInfo& instructions, const TargetRegisterInfo& registers) {
    for (unsigned k = 0; k < instructions.getNumOpcodes(); ++k) {
      const StringRef name = instructions.getName(k);
      if (name == "MMX_MOVD64rr") move_word = k;
      if (name == "MMX_MOVD64to64rr") move_long = k;
      if (name == "MMX_EMMS") end = k;
    }
    for (unsigned k = 1; k < registers.getNumRegs(); ++k) {
      const StringRef name = registers.getName(k);
      if (name.size() == 3 && name.starts_with("MM") && name[2] >= '0' && name[2] < '0' + kRegisters)
        notes[name[2] - '0'] = k;
    }
  }
  unsigned move_word = 0, move_long = 0, end = 0;
  std::array<MCRegister, kRegisters> notes{};
};

class NoteMoves : public MachineFunctionPass {
 public:
  NoteMoves() : MachineFunctionPass(id) {}

  bool runOnMachineFunction(MachineFunction& function) override {
    if (Triple(function.getFunction().getParent()->getTargetTriple()).getArch() != Triple::x86_64) return false;
    const TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
    static const Numbers numbers(instructions, *function.getSubtarget().getRegisterInfo());
    bool changed = false;
    for (MachineBasicBlock& block : function)
      for (MachineInstr& i : make_early_inc_range(block))
        if (i.isInlineAsm()) changed |= write(i, instructions, numbers);
    return changed;
  }

  StringRef getPassName() const override { return "Lanza's moves of notes"; }

  void getAnalysisUsage(AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 private:
  static bool write(MachineInstr& i, const TargetInstrInfo& instructions, const Numbers& numbers) {
    StringRef text = i.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
    MachineBasicBlock& block = *i.getParent();
    if (text == "emms") {
      BuildMI(block, i, i.getDebugLoc(), instructions.get(numbers.end));
      i.eraseFromParent();
      return true;
    }
    const bool is_long = text.consume_front("movq $0, %mm");
    unsigned note;
    if ((!is_long && !text.consume_front("movd $0, %mm")) || text.getAsInteger(10, note) ||
        note >= numbers.notes.size())
      return false;
    const MachineOperand& value = i.getOperand(InlineAsm::MIOp_FirstOperand + 1);  // behind what says that it is one
    if (!value.isReg()) return false;
    BuildMI(block, i, i.getDebugLoc(), instructions.get(is_long ? numbers.move_long : numbers.move_word),
            numbers.notes[note])
        .addReg(value.getReg());
    i.eraseFromParent();
    return true;
  }

  static inline char id = 0;
};

}  // namespace

MachineFunctionPass* make_note_moves() { return new NoteMoves; }

}  // namespace lanza::compiler
