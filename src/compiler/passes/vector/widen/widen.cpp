#include "compiler/passes/vector/widen/widen.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/lane_functions.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/analysis/group_ways.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"
#include "compiler/passes/vector/widen/serial_loops.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

bool calls(const CallInst& call, StringRef name) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->getName() == name;
}

bool has_overflow_result(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::usub_with_overflow:
    case Intrinsic::smul_with_overflow:
    case Intrinsic::umul_with_overflow:
      return true;
    default:
      return false;
  }
}

bool says_nothing(Intrinsic::ID id) {
  return id == Intrinsic::assume || id == Intrinsic::lifetime_start || id == Intrinsic::lifetime_end ||
         id == Intrinsic::experimental_noalias_scope_decl || id == Intrinsic::donothing;
}

bool is_fence(const Instruction& i) {
  if (auto* assembly = dyn_cast<CallInst>(&i); assembly && assembly->isInlineAsm())
    return assembly->arg_empty() && cast<InlineAsm>(assembly->getCalledOperand())->getAsmString().empty();
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!call) return isa<FenceInst>(i);
  const Intrinsic::ID id = call->getIntrinsicID();
  return id == Intrinsic::nvvm_membar_cta || id == Intrinsic::nvvm_membar_gl || id == Intrinsic::nvvm_membar_sys;
}

const char* hindrance(Instruction& i) {
  if (CallInst* point = as_sync(i)) {
    const LanzaSyncKind kind = sync_kind(*point);
    if (kind == LANZA_SYNC_BARRIER || kind == LANZA_SYNC_BARRIER_COUNT || kind == LANZA_SYNC_GRID) return nullptr;
    if (kind == LANZA_SYNC_REDUCE && !isa<ConstantInt>(point->getArgOperand(kSyncAux)))
      return "it chooses the operation of a warp's reduction when it runs";
    if (!is_of_warp(kind)) return "it has synchronisation points of another kind";
    return nullptr;
  }
  if (auto* call = dyn_cast<CallInst>(&i)) {
    if (!call->getCalledFunction() && !call->isInlineAsm()) return "it calls through a pointer";
  }
  if (auto* alloca = dyn_cast<AllocaInst>(&i); alloca && !alloca->isStaticAlloca())
    return "it has private memory of a size that is not known";
  if (i.getType()->isVectorTy() || any_of(i.operands(), [](const Use& v) { return v->getType()->isVectorTy(); }))
    return "it has vectors of its own";
  auto* members = dyn_cast<StructType>(i.getType());
  if (i.getType()->isArrayTy() ||
      (members && any_of(members->elements(), [](Type* m) { return m->isAggregateType(); })))
    return "it has arrays, or structs in structs, as values";
  return nullptr;
}

}  // namespace

// Blocks of a loop from which no way leads to the kernel's end: masks say when all lanes have left, which none does.
static bool has_endless_loop(Function& kernel) {
  SmallPtrSet<BasicBlock*, 32> ends;
  SmallVector<BasicBlock*, 16> work;
  for (BasicBlock& block : kernel)
    if (isa<ReturnInst>(block.getTerminator())) work.push_back(&block);
  while (!work.empty()) {
    BasicBlock* block = work.pop_back_val();
    if (ends.insert(block).second) append_range(work, predecessors(block));
  }
  for (auto component = scc_begin(&kernel); !component.isAtEnd(); ++component)
    if (component.hasCycle() && none_of(*component, [&](BasicBlock* block) { return ends.contains(block); }))
      return true;
  return false;
}

// All lanes' private memory lies on the stack, which may be that of a thread of the user's.
static bool has_much_memory(Function& kernel, unsigned lanes) {
  constexpr uint64_t kMostPrivate = 256 << 10;
  uint64_t bytes = 0;
  for (Instruction& i : instructions(kernel))
    if (auto* alloca = dyn_cast<AllocaInst>(&i))
      if (const auto size = alloca->getAllocationSize(kernel.getParent()->getDataLayout()))
        bytes += size->getFixedValue();
  return bytes > kMostPrivate / lanes;
}

bool can_widen(Function& kernel, unsigned lanes, std::string& why_not) {
  if (has_endless_loop(kernel)) {
    why_not = "a loop of it has no end";
    return false;
  }
  if (has_much_memory(kernel, lanes)) {
    why_not = "it has too much private memory for several threads at a time";
    return false;
  }
  for (Instruction& i : instructions(kernel))
    if (const char* words = hindrance(i)) {
      why_not = words;
      return false;
    }
  return true;
}

Widener::Widener(Function& kernel, const GroupShape& group)
    : kernel_(kernel),
      layout_(kernel.getParent()->getDataLayout()),
      group_(group),
      shapes_(kernel, group),
      lanes_(group.lanes),
      thread_values_(group.block),
      b_(kernel.getContext()),
      tables_(shapes_, layout_) {}

// A group begins at a multiple of its extent: what a lane's place in its warp asks of that is 0, and so the same for
// all groups (join_groups.hpp).
static void clear_low_bits(Function& kernel, const GroupShape& group) {
  for (Instruction& i : make_early_inc_range(instructions(kernel))) {
    Instruction* index = nullptr;
    const APInt* bits = nullptr;
    if (!match(&i, m_And(m_Instruction(index), m_APInt(bits)))) continue;
    const auto axis = group_axis(*index);
    if (!axis || !isPowerOf2_32(group.extent[*axis]) || bits->uge(group.extent[*axis])) continue;
    i.replaceAllUsesWith(Constant::getNullValue(i.getType()));
    i.eraseFromParent();
  }
}

Widened Widener::run() {
  group_function_ = Function::Create(kernel_.getFunctionType(), kernel_.getLinkage(), "", kernel_.getParent());
  group_function_->copyAttributesFrom(&kernel_);
  updates_ = updates_of(kernel_);
  note_updates(*group_function_, updates_);
  group_function_->setSubprogram(kernel_.getSubprogram());
  kernel_.setSubprogram(nullptr);
  for (unsigned k = 0; k < kernel_.arg_size(); ++k) {
    group_function_->getArg(k)->setName(kernel_.getArg(k)->getName());
    scalars_[kernel_.getArg(k)] = group_function_->getArg(k);
  }
  ReversePostOrderTraversal<Function*> order(&kernel_);
  for (BasicBlock* block : order)
    first_[block] = BasicBlock::Create(kernel_.getContext(), block->getName(), group_function_);
  find_row_shapes();
  for (BasicBlock* block : order) widen_block(*block);
  finish_phis();
  if (!result_.why_not.empty()) {
    group_function_->eraseFromParent();
    return result_;
  }
  group_function_->takeName(&kernel_);
  kernel_.eraseFromParent();
  outline_updates(*group_function_, lone_updates_);
  clear_low_bits(*group_function_, shapes_.group());
  result_.function = group_function_;
  return result_;
}

void Widener::widen_block(BasicBlock& block) {
  b_.SetInsertPoint(first_[&block]);
  here_.clear();
  mask_ = nullptr;
  find_interleaved(block);
  find_tabled(block);
  find_row_records(block);
  for (Instruction& i : block) {
    b_.SetCurrentDebugLocation(i.getDebugLoc());
    if (i.isTerminator())
      widen_terminator(i);
    else
      widen(i);
  }
  last_[&block] = b_.GetInsertBlock();
}

void Widener::widen(Instruction& i) {
  if (auto* phi = dyn_cast<PHINode>(&i)) return widen_phi(*phi);
  if (auto* alloca = dyn_cast<AllocaInst>(&i)) return widen_alloca(*alloca);
  if (const InterleavedAccesses* accesses = interleaved_of_.lookup(&i)) {
    if (accesses->place() == &i) widen_interleaved(*accesses);
    return;
  }
  if (const InterleavedAccesses* accesses = row_records_of_.lookup(&i)) {
    if (accesses->place() == &i) load_row_records(*accesses);
    return;
  }
  if (const TabledAccesses* accesses = tabled_of_.lookup(&i)) {
    if (accesses->place() == &i) widen_tabled(*accesses);
    return;
  }
  if (auto* load = dyn_cast<LoadInst>(&i)) return widen_load(*load);
  if (auto* store = dyn_cast<StoreInst>(&i)) return widen_store(*store);
  if (auto* call = dyn_cast<CallInst>(&i)) return widen_call(*call);
  if (isa<FenceInst>(i)) return void(clone_scalar(i));
  if (auto* atomic = dyn_cast<AtomicRMWInst>(&i))
    return updates_ == Updates::Many ? widen_atomic(*atomic) : widen_lone(*atomic);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) return widen_exchange(*exchange);
  const Shape shape = shapes_[&i];
  if (shape.is_uniform())
    clone_scalar(i);
  else if (shape.is_strided())
    widen_strided(i);
  else
    widen_varying(i);
}

// Flags hold on active lanes: where there may be none, or not lane 0, they would poison what others look at.
Instruction* Widener::clone_scalar(Instruction& i) {
  Instruction* copy = i.clone();
  for (Use& operand : copy->operands())
    if (!isa<Function>(operand)) operand.set(scalar(operand));
  if (mask_) copy->dropPoisonGeneratingAnnotations();
  b_.Insert(copy);
  copy->setDebugLoc(i.getDebugLoc());
  if (!i.getType()->isVoidTy()) scalars_[&i] = copy;
  return copy;
}

void Widener::widen_strided(Instruction& i) {
  if (isa<SExtInst, ZExtInst>(i)) {
    auto* zero = dyn_cast<ZExtInst>(&i);
    const bool is_signed = !zero || (zero->hasNonNeg() && shapes_.extends(i.getOperand(0), true));
    scalars_[&i] = extended(i.getOperand(0), i.getType(), is_signed);
    return;
  }
  // Of disjoint parts, of which an inactive lane 0 need not consist.
  if (auto* parts = dyn_cast<PossiblyDisjointInst>(&i); parts && parts->isDisjoint()) {
    scalars_[&i] = b_.CreateAdd(scalar(i.getOperand(0)), scalar(i.getOperand(1)));
    return;
  }
  Instruction* first = clone_scalar(i);
  if (!i.hasMetadata(kInAllLanes)) first->dropPoisonGeneratingAnnotations();
}

void Widener::widen_varying(Instruction& i) {
  auto operand = [&](unsigned k) { return vector(i.getOperand(k)); };
  Value* result = nullptr;
  if (auto* binary = dyn_cast<BinaryOperator>(&i)) {
    if (binary->isIntDivRem()) return widen_division(*binary);
    result = b_.CreateBinOp(binary->getOpcode(), operand(0), operand(1));
  } else if (auto* unary = dyn_cast<UnaryOperator>(&i)) {
    result = b_.CreateUnOp(unary->getOpcode(), operand(0));
  } else if (auto* conversion = dyn_cast<CastInst>(&i)) {
    result = b_.CreateCast(conversion->getOpcode(), operand(0), wide(i.getType()));
  } else if (auto* compare = dyn_cast<CmpInst>(&i)) {
    result = b_.CreateCmp(compare->getPredicate(), operand(0), operand(1));
  } else if (isa<SelectInst>(i)) {
    return widen_select(cast<SelectInst>(i));
  } else if (isa<FreezeInst>(i)) {
    result = b_.CreateFreeze(operand(0));
  } else if (auto* address = dyn_cast<GetElementPtrInst>(&i)) {
    return widen_address(*address);
  } else if (auto* extract = dyn_cast<ExtractValueInst>(&i)) {
    result = b_.CreateExtractValue(operand(0), extract->getIndices());
  } else if (auto* insert = dyn_cast<InsertValueInst>(&i)) {
    result = b_.CreateInsertValue(operand(0), operand(1), insert->getIndices());
  } else {
    return serialise(i);
  }
  auto* made = dyn_cast<Instruction>(result);
  if (made) made->copyIRFlags(&i);
  if (made && made->getOpcode() == Instruction::FDiv)
    note_cost(*made, kQuotientCost, "quotients are rounded as on a GPU: a product with the inverse would not be");
  set(i, result);
}

void Widener::widen_select(SelectInst& i) {
  Value* condition = i.getCondition();
  Value* chooses = shapes_.is_uniform(condition) ? scalar(condition) : vector(condition);
  Value *a = vector(i.getTrueValue()), *b = vector(i.getFalseValue());
  if (!i.getType()->isStructTy()) {
    Value* result = b_.CreateSelect(chooses, a, b);
    if (auto* wide = dyn_cast<Instruction>(result)) wide->copyIRFlags(&i);
    return set(i, result);
  }
  Value* result = PoisonValue::get(wide(i.getType()));
  for (unsigned k = 0; k < i.getType()->getStructNumElements(); ++k)
    result = b_.CreateInsertValue(
        result, b_.CreateSelect(chooses, b_.CreateExtractValue(a, k), b_.CreateExtractValue(b, k)), k);
  set(i, result);
}

void Widener::widen_address(GetElementPtrInst& i) {
  auto part = [&](Value* v) { return shapes_.is_uniform(v) ? scalar(v) : vector(v); };
  SmallVector<Value*, 4> indices;
  for (Use& index : i.indices()) indices.push_back(part(index));
  Value* address = b_.CreateGEP(i.getSourceElementType(), part(i.getPointerOperand()), indices);
  set(i, address->getType()->isVectorTy() ? address : splat(address));
}

void Widener::widen_phi(PHINode& phi) {
  const Shape shape = shapes_[&phi];
  const bool one = shape.is_uniform() || shape.is_strided();
  PHINode* result = b_.CreatePHI(one ? phi.getType() : wide(phi.getType()), phi.getNumIncomingValues(), phi.getName());
  (one ? scalars_ : vectors_)[&phi] = result;
  pending_.push_back({&phi, result, one ? Pending::Scalar : Pending::Vector});
}

void Widener::finish_phis() {
  for (unsigned k = 0; k < pending_.size(); ++k) {  // extensions may ask for further phis
    const Pending pending = pending_[k];
    for (unsigned in = 0; in < pending.phi->getNumIncomingValues(); ++in) {
      BasicBlock* from = last_.lookup(pending.phi->getIncomingBlock(in));
      if (!from) continue;  // unreachable
      Value* value = pending.phi->getIncomingValue(in);
      here_.clear();
      b_.SetInsertPoint(from->getTerminator());
      Value* incoming = nullptr;
      if (isa<UndefValue>(value))
        incoming = PoisonValue::get(pending.wide->getType());
      else if (pending.how == Pending::Scalar)
        incoming = scalar(value);
      else if (pending.how == Pending::Vector)
        incoming = vector(value);
      else
        incoming = extended(value, pending.wide->getType(), pending.is_signed);
      pending.wide->addIncoming(incoming, from);
    }
  }
}

void Widener::widen_terminator(Instruction& i) {
  if (auto* branch = dyn_cast<BranchInst>(&i)) {
    BranchInst* end = branch->isUnconditional()
                          ? b_.CreateBr(first_[branch->getSuccessor(0)])
                          : b_.CreateCondBr(scalar(branch->getCondition()), first_[branch->getSuccessor(0)],
                                            first_[branch->getSuccessor(1)]);
    end->copyMetadata(i, {LLVMContext::MD_loop, LLVMContext::MD_prof});
    copy_cost_note(*end, i);
    return;
  }
  if (isa<ReturnInst>(i))
    b_.CreateRetVoid();
  else
    b_.CreateUnreachable();
}

void Widener::widen_call(CallInst& call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  if (calls(call, kMask)) {
    mask_ = call.getArgOperand(0);
    return;
  }
  if (says_nothing(id) || isa<DbgInfoIntrinsic>(call)) return;
  if (calls(call, kAll) || calls(call, kAny)) {
    scalars_[&call] = collective(call);
    return;
  }
  if (calls(call, kLane)) {
    scalars_[&call] = b_.getInt32(0);
    return;
  }
  if (id == Intrinsic::prefetch) return widen_prefetch(call);
  if (as_sync(call)) return is_of_warp(sync_kind(call)) ? widen_warp(call) : widen_sync(call);
  if (id >= Intrinsic::nvvm_read_ptx_sreg_tid_w && id <= Intrinsic::nvvm_read_ptx_sreg_tid_z)
    return widen_thread_index(call, id - Intrinsic::nvvm_read_ptx_sreg_tid_x);
  if (shapes_.is_uniform(&call) || is_fence(call) || is_done_once(call)) return void(clone_scalar(call));
  if (is_lane_function(call)) {
    const auto operands = map_range(call.args(), [&](const Use& operand) { return vector(operand); });
    return set(call, b_.CreateCall(of_lanes(call, lanes_), to_vector<3>(operands)));
  }
  if (!call.mayHaveSideEffects() &&
      (isTriviallyVectorizable(id) || has_overflow_result(id) || id == Intrinsic::arithmetic_fence))
    return widen_intrinsic(call);
  if (is_serial_update(call) && update_in_turn(call)) return;
  if (is_serial_update(call)) return in_turn(call);
  serialise(call);
}

// Waiting; filling memory that all lanes share with what they all have.
bool Widener::is_done_once(const Instruction& i) const {
  if (auto* call = dyn_cast<CallInst>(&i); call && calls(*call, kWait)) return true;
  auto* memory = dyn_cast<MemIntrinsic>(&i);
  return memory && !memory->isVolatile() && all_of(memory->args(), [&](const Use& v) { return shapes_.is_uniform(v); });
}

void Widener::widen_intrinsic(CallInst& call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  SmallVector<Value*, 4> arguments;
  SmallVector<Type*, 4> overloads;
  if (has_overflow_result(id))
    overloads.push_back(wide(call.getArgOperand(0)->getType()));
  else if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
    overloads.push_back(wide(call.getType()));
  for (unsigned k = 0; k < call.arg_size(); ++k) {
    const bool one = isVectorIntrinsicWithScalarOpAtArg(id, k);
    arguments.push_back(one ? scalar(call.getArgOperand(k)) : vector(call.getArgOperand(k)));
    if (!has_overflow_result(id) && isVectorIntrinsicWithOverloadTypeAtArg(id, k))
      overloads.push_back(arguments.back()->getType());
  }
  CallInst* result = b_.CreateIntrinsic(id, overloads, arguments, isa<FPMathOperator>(call) ? &call : nullptr);
  if (id == Intrinsic::minnum || id == Intrinsic::maxnum) note_costly_extremum(*result);
  set(call, result);
}

void Widener::widen_thread_index(CallInst& call, unsigned axis) {
  Value* base = emit_group_index(b_, axis);
  if (!shapes_[&call].is_varying()) {
    scalars_[&call] = base;
    return;
  }
  SmallVector<uint32_t, 64> offsets;
  for (unsigned lane = 0; lane < lanes_; ++lane) offsets.push_back(shapes_.group().offset(axis, lane));
  Constant* table = ConstantDataVector::get(kernel_.getContext(), offsets);
  set(call, shapes_.group().starts_at_zero(axis) ? table : b_.CreateAdd(splat(base), table));
}

// All lanes of the group arrive at once; those that have left are not counted.
void Widener::widen_sync(CallInst& call) {
  SmallVector<Value*, 5> arguments;
  for (Use& argument : call.args()) arguments.push_back(shapes_.is_uniform(argument) ? scalar(argument) : nullptr);
  if (sync_kind(call) == LANZA_SYNC_BARRIER_COUNT) {
    Value* yes = b_.CreateIsNotNull(vector(call.getArgOperand(kSyncValue)));
    if (Value* active = mask()) yes = b_.CreateSelect(active, yes, Constant::getNullValue(yes->getType()));
    Value* count = b_.CreateUnaryIntrinsic(Intrinsic::ctpop, b_.CreateBitCast(yes, bits_type()));
    arguments[kSyncValue] = b_.CreateZExtOrTrunc(count, b_.getInt64Ty());
  }
  CallInst* point = b_.CreateCall(call.getCalledFunction(), arguments);
  point->setMetadata(kSeldom, call.getMetadata(kSeldom));
  if (!call.getType()->isVoidTy()) scalars_[&call] = point;
}

Widened widen(Function& kernel, const GroupShape& group) { return Widener(kernel, group).run(); }

}  // namespace lanza::compiler
