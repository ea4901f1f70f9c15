#include "compiler/passes/vector/scalars/own_counters.hpp"

#include <optional>

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/run/block_loop.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kCounters = 4096;  // half of the first cache, at 32 bits
static constexpr char kCount[] = "lanza.counters", kOwn[] = "lanza.own";

namespace {

/// What is the same address in all blocks: an argument, or null for device variables, and an offset.
struct Base {
  const Value* argument;
  int64_t offset;
  bool operator==(const Base&) const = default;
};

std::optional<Base> base_of(const Value* address, const DataLayout& layout) {
  APInt offset(64, 0);
  const Value* root = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (auto* argument = dyn_cast<Argument>(root); argument && !argument->hasByValAttr())
    return Base{argument, offset.getSExtValue()};
  auto* call = dyn_cast<CallInst>(root);
  if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != kGlobalsBase) return {};
  return Base{nullptr, offset.getSExtValue()};
}

bool adds(const AtomicRMWInst& i) {
  return (i.getOperation() == AtomicRMWInst::Add || i.getOperation() == AtomicRMWInst::Sub) &&
         (i.getType()->isIntegerTy(32) || i.getType()->isIntegerTy(64)) && i.use_empty() && !i.isVolatile() &&
         i.getOrdering() == AtomicOrdering::Monotonic && i.getSyncScopeID() != SyncScope::SingleThread;
}

bool waits_in_block(const CallInst& point) {
  const LanzaSyncKind kind = sync_kind(point);
  return kind == LANZA_SYNC_BARRIER || kind == LANZA_SYNC_BARRIER_COUNT || is_of_warp(kind);
}

// To threads of other blocks. A volatile access or an atomic one tells them how far this block has come.
bool shows_order(Instruction& i) {
  if (const CallInst* point = as_sync(i)) return !waits_in_block(*point);
  if (i.isVolatile()) return true;
  if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) return !is_shared_memory(operation->getPointerOperand());
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) return !is_shared_memory(exchange->getPointerOperand());
  return i.isAtomic() || (isa<CallBase>(i) && !isa<IntrinsicInst>(i) && i.mayHaveSideEffects());
}

/// `bins[key]`
struct Site {
  AtomicRMWInst* addition;
  GetElementPtrInst* place;
};

class Counters {
 public:
  explicit Counters(Function& kernel) : kernel_(kernel), layout_(kernel.getDataLayout()) {}

  bool run() {
    if (!look_at_all()) return false;
    for (const Site& site : sites_) divert(site);
    return !sites_.empty();
  }

 private:
  // False: something in the kernel shows when additions are done.
  bool look_at_all() {
    for (Instruction& i : instructions(kernel_)) {
      auto* addition = dyn_cast<AtomicRMWInst>(&i);
      if (addition && adds(*addition)) {
        take(*addition);
      } else if (shows_order(i)) {
        return false;
      }
    }
    return none_of(instructions(kernel_), [&](Instruction& i) {
      return any_of(sites_, [&](const Site& site) { return looks_at_counters_behind(i, site); });
    });
  }

  void take(AtomicRMWInst& addition) {
    auto* place = dyn_cast<GetElementPtrInst>(addition.getPointerOperand());
    if (!place || addition.hasMetadata(kAtEdge) || place->getNumIndices() != 1) return;
    if (place->getSourceElementType() != addition.getType() || isa<Constant>(place->getOperand(1))) return;
    const auto base = base_of(place->getPointerOperand(), layout_);
    if (!base || (base_ && *base != *base_) || (!sites_.empty() && addition.getType() != type())) return;
    base_ = base;
    sites_.push_back({&addition, place});
  }

  Type* type() const { return sites_.front().addition->getType(); }

  // Also another thread of the block: the barrier between the two lies on a way from the one to the other.
  bool looks_at_counters_behind(Instruction& i, const Site& site) const {
    auto* addition = dyn_cast<AtomicRMWInst>(&i);
    if (!i.mayReadOrWriteMemory() || (addition && adds(*addition)) || i.isLifetimeStartOrEnd() || isa<AssumeInst>(i))
      return false;
    if (as_sync(i)) return false;
    if (auto* call = dyn_cast<CallBase>(&i); call && call->doesNotAccessMemory()) return false;
    return !is_elsewhere(i) && isPotentiallyReachable(site.addition, &i);
  }

  bool is_elsewhere(const Instruction& i) const {
    const Value* address = getLoadStorePointerOperand(&i);
    if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) address = operation->getPointerOperand();
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) address = exchange->getPointerOperand();
    if (!address) return false;
    if (is_shared_memory(address)) return true;
    const Value* object = getUnderlyingObject(address);
    auto is_alone = [](const Value* v) { return v && isa<Argument>(v) && cast<Argument>(v)->hasNoAliasAttr(); };
    return isa<AllocaInst>(object) || (object != base_->argument && (is_alone(object) || is_alone(base_->argument)));
  }

  void divert(const Site& site) {
    Value* key = site.place->getOperand(1);
    auto* extension = dyn_cast<CastInst>(key);
    if (extension && isa<SExtInst, ZExtInst>(extension) && extension->getSrcTy()->isIntegerTy(32))
      key = extension->getOperand(0);  // as unsigned ones those below 0 are large, too
    IRBuilder<> b(site.addition);
    Module& module = *kernel_.getParent();
    auto declare = [&](const char* name, FunctionType* type) {
      auto* function = cast<Function>(module.getOrInsertFunction(name, type).getCallee());
      function->setMemoryEffects(MemoryEffects::none());
      function->setDoesNotThrow();
      function->setWillReturn();
      return function;
    };
    Value* count = b.CreateCall(declare(kCount, FunctionType::get(b.getInt32Ty(), false)));
    Value* is_own = b.CreateICmpULT(key, b.CreateZExtOrTrunc(count, key->getType()));
    Value* all = emit_collective(b, kAll, is_own);
    Instruction *own = nullptr, *shared = nullptr;
    SplitBlockAndInsertIfThenElse(all, site.addition, &own, &shared);
    site.addition->moveBefore(shared);
    b.SetInsertPoint(own);
    b.SetCurrentDebugLocation(site.addition->getDebugLoc());
    Value* base = site.place->getPointerOperand();
    Type* operands[] = {b.getPtrTy(), b.getInt32Ty()};
    Value* table = b.CreateCall(declare(kOwn, FunctionType::get(b.getPtrTy(), operands, false)),
                                {base, b.getInt32(type()->getIntegerBitWidth())});
    Value* place = b.CreateGEP(type(), table, b.CreateZExt(key, b.getInt64Ty()));
    b.CreateAtomicRMW(site.addition->getOperation(), place, site.addition->getValOperand(), site.addition->getAlign(),
                      AtomicOrdering::Monotonic, SyncScope::SingleThread);
  }

  Function& kernel_;
  const DataLayout& layout_;
  std::optional<Base> base_;
  SmallVector<Site, 4> sites_;
};

/// The table of a worker: the address of the counters, null while nothing was counted, and behind it the table.
class Table {
 public:
  Table(const BlockLoop& blocks, const AbiTypes& types, Function& count, Function& own)
      : blocks_(blocks), types_(types), count_(count), own_(own), type_(type_of(own)), b_(blocks.run->getContext()) {}

  uint64_t bytes() const { return kHeader + uint64_t{kCounters} * type_->getIntegerBitWidth() / 8; }

  void build() {
    auto* any_blocks = cast<BranchInst>(blocks_.run->getEntryBlock().getTerminator());
    b_.SetInsertPoint(any_blocks);
    Value* field = b_.CreateStructGEP(types_.block, blocks_.run->getArg(2), block_field::counters);
    header_ = b_.CreateLoad(b_.getPtrTy(), field, "counters");
    table_ = b_.CreateConstGEP1_64(b_.getInt8Ty(), header_, kHeader);
    Value* count = b_.CreateSelect(b_.CreateIsNull(header_), b_.getInt32(0), b_.getInt32(kCounters));
    for (User* user : make_early_inc_range(count_.users())) {
      user->replaceAllUsesWith(count);
      cast<Instruction>(user)->eraseFromParent();
    }
    DebugLoc line;
    for (User* user : make_early_inc_range(own_.users())) {
      auto* call = cast<CallInst>(user);
      if (call->getDebugLoc()) line = call->getDebugLoc();
      b_.SetInsertPoint(call);
      b_.CreateStore(call->getArgOperand(0), header_);
      call->replaceAllUsesWith(table_);
      call->eraseFromParent();
    }
    b_.SetCurrentDebugLocation(line);
    any_blocks->setSuccessor(1, add_to_counters(any_blocks->getSuccessor(1)));
  }

 private:
  static constexpr uint64_t kHeader = 64;

  static Type* type_of(const Function& own) {
    auto* call = cast<CallInst>(*own.user_begin());
    return Type::getIntNTy(own.getContext(), cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
  }

  // Most of a table may be empty: a vector at a time is looked at.
  BasicBlock* add_to_counters(BasicBlock* done) {
    auto add = [&](const char* name) { return BasicBlock::Create(b_.getContext(), name, blocks_.run, done); };
    BasicBlock *idle = add("idle"), *ends = add("counted"), *row = add("counters"), *one = add("counter"),
               *addition = add(""), *next_one = add(""), *next_row = add("");
    b_.SetInsertPoint(idle);
    b_.CreateCondBr(b_.CreateIsNull(header_), done, ends);
    b_.SetInsertPoint(ends);
    Value* base = b_.CreateLoad(b_.getPtrTy(), header_);
    b_.CreateCondBr(b_.CreateIsNull(base), done, row);

    constexpr unsigned kInRow = 16;
    b_.SetInsertPoint(row);
    PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2);
    auto* lanes = FixedVectorType::get(type_, kInRow);
    Value* counters = b_.CreateAlignedLoad(lanes, b_.CreateGEP(type_, table_, first), Align(kHeader));
    b_.CreateCondBr(b_.CreateIsNotNull(b_.CreateOrReduce(counters)), one, next_row);

    b_.SetInsertPoint(one);
    PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    Value* counter = b_.CreateLoad(type_, b_.CreateGEP(type_, table_, k));
    b_.CreateCondBr(b_.CreateIsNotNull(counter), addition, next_one);
    b_.SetInsertPoint(addition);
    b_.CreateAtomicRMW(AtomicRMWInst::Add, b_.CreateGEP(type_, base, k), counter, MaybeAlign(),
                       AtomicOrdering::Monotonic);
    b_.CreateBr(next_one);
    b_.SetInsertPoint(next_one);
    Value* k1 = b_.CreateAdd(k, b_.getInt64(1));
    Value* end_of_row = b_.CreateAdd(first, b_.getInt64(kInRow));
    b_.CreateCondBr(b_.CreateICmpULT(k1, end_of_row), one, next_row);
    k->addIncoming(first, row);
    k->addIncoming(k1, next_one);

    b_.SetInsertPoint(next_row);
    Value* following = b_.CreateAdd(first, b_.getInt64(kInRow));
    b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(kCounters)), row, done);
    first->addIncoming(b_.getInt64(0), ends);
    first->addIncoming(following, next_row);
    return idle;
  }

  const BlockLoop& blocks_;
  const AbiTypes& types_;
  Function &count_, &own_;
  Type* const type_;
  IRBuilder<> b_;
  Value *header_ = nullptr, *table_ = nullptr;
};

}  // namespace

bool own_counters(Function& kernel) { return Counters(kernel).run(); }

bool has_own_counters(const Module& module) {
  const Function* own = module.getFunction(kOwn);
  return own && !own->use_empty();
}

uint64_t lower_own_counters(const BlockLoop& blocks, const AbiTypes& types) {
  Module& module = *blocks.run->getParent();
  Function *count = module.getFunction(kCount), *own = module.getFunction(kOwn);
  if (!count || !own || own->use_empty()) return 0;
  Table table(blocks, types, *count, *own);
  const uint64_t bytes = table.bytes();
  table.build();
  count->eraseFromParent();
  own->eraseFromParent();
  return bytes;
}

}  // namespace lanza::compiler
