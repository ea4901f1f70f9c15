#include "compiler/passes/register_notes.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "compiler/kernel_abi.h"
#include "compiler/passes/abi_types.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

struct Field {
  uint64_t at, bytes;
};
/// The number of a field is its register's. fault_handler.cpp reads them.
constexpr std::array<Field, 8> kFields{{{offsetof(LanzaBlock, first_lane), 8},
                                        {offsetof(LanzaBlock, lane), 8},
                                        {offsetof(LanzaBlock, lane_row), 4},
                                        {offsetof(LanzaBlock, lane_row) + 4, 4},
                                        {offsetof(LanzaBlock, lane_count), 4},
                                        {offsetof(LanzaBlock, lane_rows), 4},
                                        {offsetof(LanzaBlock, index), 4},
                                        {offsetof(LanzaBlock, index) + 4, 8}}};
constexpr unsigned kCount = 4, kRows = 5, kIndex = 7;

/// A store to one field, or to two of 4 bytes at once; or one of two (the other: `low`) to the halves of a field.
struct Note {
  StoreInst* store;
  unsigned first, count;
  StoreInst* low = nullptr;
};

/// A field's share of a note.
struct Part {
  Instruction* place;
  unsigned field;
  Value* value;
};

// Code of the compiler's own, as masked accesses of bytes are with AVX2: it knows of no x87, and calls nobody.
bool is_plain_code(const Function& function) {
  if (function.isDeclaration() || !function.hasLocalLinkage()) return false;
  return none_of(instructions(function), [](const Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return i.getType()->isX86_FP80Ty() || (call && !isa<IntrinsicInst>(call)) ||
           any_of(i.operands(), [](const Use& use) { return use->getType()->isX86_FP80Ty(); });
  });
}

class Notes {
 public:
  explicit Notes(Function& run) : run_(run), types_(run.getContext()) {}

  /// False: they stay in memory.
  bool find() {
    for (Instruction& i : instructions(run_)) {
      if (auto* call = dyn_cast<CallBase>(&i); call && !is_quiet(*call)) return false;
      if (isa<ReturnInst>(i)) ends_.push_back(&i);
      const Value* address = getLoadStorePointerOperand(&i);
      if (address && is_field(*address) && !take(i)) return false;
    }
    return has_index_ && !index_y_ && any_in_loop();
  }

  void move() {
    for (const Note& note : notes_) split(note);
    for (unsigned k = 0; k < kFields.size(); ++k) {
      Value* only = only_constant(k);
      for (const Part& part : parts_) {
        IRBuilder<> b(part.place);
        if (part.field == k && !only) put(b, k, part.value);
      }
      first_[k] = only;
    }
    for (const Note& note : notes_) {
      note.store->eraseFromParent();
      if (note.low) note.low->eraseFromParent();
    }
    begin();
    for (Instruction* i : ends_) {
      IRBuilder<> b(i);
      if (isa<CallBase>(i)) write_back(b);
      say(b, "emms", "", {});
    }
  }

 private:
  /// It does not come back, or makes no call in the end.
  bool is_quiet(CallBase& call) {
    if (isa<IntrinsicInst>(call) || call.isInlineAsm()) return true;
    if (const Function* callee = call.getCalledFunction(); callee && is_plain_code(*callee)) return true;
    if (!call.doesNotReturn()) return false;
    ends_.push_back(&call);
    return true;
  }

  std::optional<uint64_t> offset_of(const Value& address) const {
    APInt offset(64, 0);
    if (address.stripAndAccumulateConstantOffsets(run_.getDataLayout(), offset, true) != run_.getArg(2))
      return std::nullopt;
    return offset.getZExtValue();
  }

  bool is_field(const Value& address) const {
    const auto at = offset_of(address);
    return at && any_of(kFields, [&](const Field& f) { return f.at <= *at && *at < f.at + f.bytes; });
  }

  bool take(Instruction& i) {
    auto* store = dyn_cast<StoreInst>(&i);
    if (!store || !store->getValueOperand()->getType()->isIntegerTy()) return false;
    const uint64_t at = *offset_of(*store->getPointerOperand());
    const uint64_t bytes = run_.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType());
    if (at == kFields[kIndex].at || at == kFields[kIndex].at + 4) return bytes == 4 && take_half(*store, at);
    for (unsigned k = 0; k < kFields.size(); ++k) {
      if (kFields[k].at != at) continue;
      const bool both = kFields[k].bytes == 4 && bytes == 8 && at % 8 == 0;
      if (!both && bytes != kFields[k].bytes) return false;
      notes_.push_back({store, k, both ? 2u : 1u});
      return true;
    }
    return false;
  }

  /// Of blockIdx.y and z, which have a register together: y is stored first.
  bool take_half(StoreInst& store, uint64_t at) {
    StoreInst* y = std::exchange(index_y_, at == kFields[kIndex].at ? &store : nullptr);
    if (index_y_) return !y;
    if (!y || y->getParent() != store.getParent()) return false;
    notes_.push_back({&store, kIndex, 1, y});
    return has_index_ = true;
  }

  Value* join(IRBuilder<>& b, Value* low, Value* high) {
    Value* below = b.CreateZExt(low, types_.i64);
    return b.CreateOr(below, b.CreateShl(b.CreateZExt(high, types_.i64), 32));
  }

  void split(const Note& note) {
    IRBuilder<> b(note.store);
    Value* value = note.store->getValueOperand();
    if (note.low) value = join(b, note.low->getValueOperand(), value);
    for (unsigned k = 0; k < note.count; ++k) {
      Value* half = k ? b.CreateLShr(value, 32) : value;
      parts_.push_back({note.store, note.first + k, note.count > 1 ? b.CreateTrunc(half, types_.i32) : half});
    }
  }

  /// What all notes of a field say, so that it need not be said in any loop; null: they differ.
  Value* only_constant(unsigned k) const {
    Value* only = nullptr;
    for (const Part& part : parts_) {
      if (part.field != k) continue;
      if (!isa<ConstantInt>(part.value) || (only && only != part.value)) return nullptr;
      only = part.value;
    }
    return only;
  }

  bool any_in_loop() {
    DominatorTree dominators(run_);
    LoopInfo loops(dominators);
    return any_of(notes_, [&](const Note& note) { return loops.getLoopFor(note.store->getParent()); });
  }

  /// As BlockState::call() leaves the fields, but for what stays the same throughout.
  void begin() {
    IRBuilder<> b(&*run_.getEntryBlock().getFirstInsertionPt());
    if (!first_[kCount]) first_[kCount] = b.getInt32(0);
    if (!first_[kRows]) first_[kRows] = b.getInt32(1);
    for (unsigned k = 0; k < kFields.size(); ++k)
      if (first_[k]) put(b, k, first_[k]);
    b.CreateStore(b.getInt32(LANZA_LANES_IN_REGISTERS), address(b, kFields[kCount]));
  }

  void write_back(IRBuilder<>& b) {
    for (unsigned k = 0; k < kFields.size(); ++k) {
      Type* type = b.getIntNTy(static_cast<unsigned>(kFields[k].bytes) * 8);
      Value* value = say(b, "mov" + letter(k) + " %mm" + Twine(k) + ", $0", "=r", {}, type);
      b.CreateAlignedStore(value, address(b, kFields[k]), Align(4));
    }
  }

  Value* address(IRBuilder<>& b, const Field& field) {
    return b.CreateConstGEP1_64(types_.i8, run_.getArg(2), field.at);
  }

  static StringRef letter(unsigned k) { return kFields[k].bytes == 8 ? "q" : "d"; }

  // Nothing else of the code uses these registers: what is said of them to LLVM only takes it time.
  void put(IRBuilder<>& b, unsigned k, Value* value) {
    say(b, "mov" + letter(k) + " $0, %mm" + Twine(k), "r", {value});
  }

  Value* say(IRBuilder<>& b, const Twine& text, const std::string& operands, ArrayRef<Value*> values,
             Type* result = nullptr) {
    SmallVector<Type*, 1> taken;
    for (Value* v : values) taken.push_back(v->getType());
    auto* type = FunctionType::get(result ? result : types_.nothing, taken, false);
    CallInst* call = b.CreateCall(InlineAsm::get(type, text.str(), operands, /*hasSideEffects=*/true), values);
    call->setDoesNotThrow();
    call->setOnlyAccessesInaccessibleMemory();
    return call;
  }

  Function& run_;
  const AbiTypes types_;
  SmallVector<Note, 8> notes_;
  SmallVector<Part, 16> parts_;
  std::array<Value*, kFields.size()> first_{};  ///< what registers hold from the beginning
  StoreInst* index_y_ = nullptr;
  bool has_index_ = false;
  SmallVector<Instruction*, 4> ends_;  ///< returns, and calls that do not come back
};

}  // namespace

void keep_notes_in_registers(Function& run) {
  if (Triple(run.getParent()->getTargetTriple()).getArch() != Triple::x86_64 || run.arg_size() != 3) return;
  Notes notes(run);
  if (notes.find()) notes.move();
}

}  // namespace lanza::compiler
