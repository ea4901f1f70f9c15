#include "compiler/passes/vector/scalars/fold_rows.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/sync_calls.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr char kRow[] = "lanza.row";
constexpr uint32_t kShortest = 16, kLongest = 64;  // threads: vectors of lanes lie in one row

/// A quotient or a remainder of threadIdx.x by a power of two.
struct Part {
  Instruction* value;
  bool is_quotient;
  uint32_t by;
};

bool is_thread(const Value* v) { return match(v, m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>()); }

std::optional<Part> as_part(Instruction& i) {
  const APInt* n;
  if (!isa<BinaryOperator>(i) || !is_thread(i.getOperand(0)) || !match(i.getOperand(1), m_APInt(n))) return {};
  const uint64_t number = n->getZExtValue();
  switch (i.getOpcode()) {
    case Instruction::URem:
    case Instruction::SRem:
      return isPowerOf2_64(number) ? std::optional(Part{&i, false, uint32_t(number)}) : std::nullopt;
    case Instruction::And:
      return isPowerOf2_64(number + 1) ? std::optional(Part{&i, false, uint32_t(number + 1)}) : std::nullopt;
    case Instruction::UDiv:
    case Instruction::SDiv:
      return isPowerOf2_64(number) ? std::optional(Part{&i, true, uint32_t(number)}) : std::nullopt;
    case Instruction::LShr:
    case Instruction::AShr:
      return number < 16 ? std::optional(Part{&i, true, uint32_t(1) << number}) : std::nullopt;
    default:
      return {};
  }
}

/// By what an address goes: bits of the powers of two, or the whole number.
struct Parts {
  uint32_t quotients = 0, remainders = 0;
  bool is_flat = false;

  uint32_t both() const { return quotients & remainders; }
  bool only_flat() const { return is_flat && !(quotients | remainders); }
};

void add_parts(Value* v, SmallPtrSet<Value*, 32>& known, Parts& parts) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !known.insert(v).second) return;
  if (const auto part = as_part(*i)) {
    (part->is_quotient ? parts.quotients : parts.remainders) |= part->by;
    return;
  }
  parts.is_flat |= is_thread(i);
  if (isa<PHINode, CallInst, LoadInst>(i)) return;
  for (Value* operand : i->operands()) add_parts(operand, known, parts);
}

Parts parts_of(Value* address) {
  Parts parts;
  SmallPtrSet<Value*, 32> known;
  add_parts(address, known, parts);
  return parts;
}

// Functions that recurse are not part of the kernel's code.
bool others_ask(const Function& f) {
  const Function* index = f.getParent()->getFunction(Intrinsic::getName(Intrinsic::nvvm_read_ptx_sreg_tid_x));
  return index && any_of(index->users(), [&](const User* user) {
           auto* call = dyn_cast<CallInst>(user);
           return !call || call->getFunction() != &f;
         });
}

// Where threads write one after the other, what they read: of several rows by each vector else. Not where shared memory
// goes by the whole number, too: trees and scans have passes of their own.
uint32_t rows_read(Function& f) {
  uint32_t rows = 0;
  for (Instruction& i : instructions(f)) {
    Value* address = getLoadStorePointerOperand(&i);
    if (!address) continue;
    const Value* memory = getUnderlyingObject(address);
    const Parts parts = parts_of(address);
    if (isa<GlobalVariable>(memory) && parts.is_flat) return 0;
    if (isa<LoadInst>(i) && isa<Argument>(memory) && parts.both()) rows = rows ? rows & parts.both() : parts.both();
  }
  return rows;
}

// 0: none that all results go by.
uint32_t row_length(Function& f, uint32_t threads) {
  if (others_ask(f)) return 0;
  uint32_t rows = ~uint32_t{0};
  bool is_written = false, is_flat = true;
  for (Instruction& i : instructions(f)) {
    if (CallInst* point = as_sync(i); point && sync_kind(*point) != LANZA_SYNC_BARRIER) return 0;
    auto* store = dyn_cast<StoreInst>(&i);
    if (!store || !isa<Argument>(getUnderlyingObject(store->getPointerOperand()))) continue;
    const Parts parts = parts_of(store->getPointerOperand());
    rows &= parts.both();
    is_flat &= parts.only_flat();
    is_written = true;
  }
  if (!is_written) return 0;
  if (is_flat) rows = rows_read(f);
  for (uint32_t row = kLongest; row >= kShortest; row /= 2)
    if (rows & row && threads % row == 0 && threads > row) return row;
  return 0;
}

class RowFolder {
 public:
  RowFolder(Function& f, uint32_t row, uint32_t rows) : row_(row) {
    IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().getFirstInsertionPt());
    x_ = read(b, Intrinsic::nvvm_read_ptx_sreg_tid_x, row);
    y_ = read(b, Intrinsic::nvvm_read_ptx_sreg_tid_y, rows);
    flat_ = b.CreateAdd(b.CreateMul(y_, b.getInt32(row), "", true, true), x_, "", true, true);
  }

  void fold(CallInst& thread) {
    for (User* user : make_early_inc_range(thread.users()))
      if (const auto part = as_part(*cast<Instruction>(user))) {
        IRBuilder<> b(part->value);
        part->value->replaceAllUsesWith(part->is_quotient ? quotient(b, part->by) : remainder(b, part->by));
        part->value->eraseFromParent();
      }
    thread.replaceAllUsesWith(flat_);
    thread.eraseFromParent();
  }

 private:
  static CallInst* read(IRBuilder<>& b, Intrinsic::ID id, uint32_t end) {
    CallInst* index = b.CreateIntrinsic(id, {}, {});
    const ConstantRange range(APInt(32, 0), APInt(32, end));
    index->addRetAttr(Attribute::get(b.getContext(), Attribute::Range, range));
    return index;
  }

  Value* quotient(IRBuilder<>& b, uint32_t by) const {
    if (by >= row_) return b.CreateLShr(y_, Log2_32(by / row_));
    Value* of_rows = b.CreateShl(y_, Log2_32(row_ / by), "", true, true);
    return b.CreateAdd(of_rows, b.CreateLShr(x_, Log2_32(by)), "", true, true);
  }

  Value* remainder(IRBuilder<>& b, uint32_t by) const {
    if (by <= row_) return b.CreateAnd(x_, by - 1);
    Value* y = b.CreateAnd(y_, by / row_ - 1);
    return b.CreateAdd(b.CreateShl(y, Log2_32(row_), "", true, true), x_, "", true, true);
  }

  const uint32_t row_;
  CallInst *x_, *y_;
  Value* flat_;
};

}  // namespace

PreservedAnalyses FoldRowsPass::run(Function& f, FunctionAnalysisManager&) const {
  if (block[0] <= kShortest || block[1] * block[2] != 1) return PreservedAnalyses::all();
  const uint32_t row = row_length(f, block[0]);
  if (!row) return PreservedAnalyses::all();
  SmallVector<CallInst*, 8> threads;
  for (Instruction& i : instructions(f))
    if (is_thread(&i)) threads.push_back(cast<CallInst>(&i));
  RowFolder folder(f, row, block[0] / row);
  for (CallInst* thread : threads) folder.fold(*thread);
  f.getParent()->addModuleFlag(Module::Max, kRow, row);
  return PreservedAnalyses::none();
}

BlockDim folded_block(const Module& module, const BlockDim& block) {
  const auto row = static_cast<uint32_t>(module_flag(module, kRow, 0));
  return row ? BlockDim{row, block[0] / row, 1} : block;
}

}  // namespace lanza::compiler
