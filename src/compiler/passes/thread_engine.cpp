#include "compiler/passes/thread_engine.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/debug_variables.hpp"
#include "compiler/passes/hidden_context.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr char kFrameNote[] = "lanza.frame";  // coro.size and coro.align are stored here, read back after the split

/// What all coroutines of one module share.
struct Shared {
  explicit Shared(Module& m) : module(m), types(m.getContext()), record(types.record) {}

  Module& module;
  AbiTypes types;
  StructType* record;
  bool nested = false;
  FunctionMap plain;       // functions with a hidden context
  FunctionMap coroutines;  // functions that wait: old to new
};

/// Turns one function into a coroutine.
class Coroutine {
 public:
  Coroutine(Shared& shared, Function& source, Function& target, bool root)
      : s_(shared), source_(source), f_(target), root_(root), c_(target.getContext()), b_(c_) {}

  void build() {
    head_ = BasicBlock::Create(c_, "head", &f_);
    // Nested coroutines get a dummy: under full debug information CoroFrame wants a promise.
    promise_ =
        new AllocaInst(root_ ? static_cast<Type*>(s_.record) : s_.types.pointer, 0, nullptr, Align(8), "record", head_);
    record_ = root_ ? static_cast<Value*>(promise_) : f_.getArg(0);
    BasicBlock* body = take_body(source_, f_);
    rewrite_calls(f_, record_, s_.plain);
    f_.addFnAttr(Attribute::PresplitCoroutine);
    b_.SetInsertPoint(head_);
    if (DISubprogram* subprogram = f_.getSubprogram())
      b_.SetCurrentDebugLocation(DILocation::get(c_, subprogram->getLine(), 0, subprogram));
    begin();
    b_.CreateBr(body);
    if (root_) declare_debug_variables(f_, *promise_);
    end_block();
    collect();
    for (ReturnInst* end : returns_) lower_return(*end);
    for (CallInst* point : points_) lower_point(*point);
    for (CallInst* call : calls_) lower_call(*call);
    RecordContext context(s_.types, record_);
    lower_context(f_, context);
    if (root_) lower_arguments(source_, context, head_->getTerminator());
  }

 private:
  Function* intrinsic(Intrinsic::ID id, ArrayRef<Type*> types = {}) {
    return Intrinsic::getDeclaration(&s_.module, id, types);
  }
  Value* field(unsigned i) { return b_.CreateStructGEP(s_.record, record_, i); }
  Value* null() { return ConstantPointerNull::get(cast<PointerType>(s_.types.pointer)); }
  // Kind, id and aux are one word: the scheduler reads them at once, and narrow stores would miss store forwarding.
  void store_word(Value* word) { b_.CreateAlignedStore(word, record_, Align(8)); }

  void begin() {
    Value* id = b_.CreateCall(intrinsic(Intrinsic::coro_id), {b_.getInt32(0), promise_, null(), null()});
    Value* size = b_.CreateCall(intrinsic(Intrinsic::coro_size, {s_.types.i64}));
    Value* align = b_.CreateCall(intrinsic(Intrinsic::coro_align, {s_.types.i64}));
    Value* memory = root_ ? f_.getArg(0) : push_frame(size, align);
    if (root_) note_frame(size, align);
    handle_ = b_.CreateCall(intrinsic(Intrinsic::coro_begin), {id, memory});
    if (root_) fill_record();
    if (!root_) caller_ = b_.CreateLoad(s_.types.pointer, field(record_field::current));
    if (s_.nested) b_.CreateStore(handle_, field(record_field::current));
  }

  void note_frame(Value* size, Value* align) {
    auto* type = ArrayType::get(s_.types.i64, 2);
    auto* note = new GlobalVariable(s_.module, type, false, GlobalValue::InternalLinkage,
                                    ConstantAggregateZero::get(type), kFrameNote);
    b_.CreateStore(size, note);
    b_.CreateStore(align, b_.CreateConstInBoundsGEP1_64(s_.types.i8, note, 8));
  }

  void fill_record() {
    b_.CreateStore(f_.getArg(1), field(record_field::block));
    for (unsigned axis = 0; axis < 3; ++axis)
      b_.CreateStore(b_.CreateTrunc(f_.getArg(2 + axis), s_.types.i16),
                     b_.CreateInBoundsGEP(s_.record, record_,
                                          {b_.getInt32(0), b_.getInt32(record_field::tid), b_.getInt32(axis)}));
    b_.CreateStore(b_.getInt16(0), field(record_field::line));
    if (s_.nested) b_.CreateStore(own_stack(), field(record_field::top));
  }

  // The thread's slice of LanzaBlock::stacks.
  Value* own_stack() {
    Value* block = f_.getArg(1);
    Value* launch = b_.CreateLoad(s_.types.pointer, b_.CreateStructGEP(s_.types.block, block, block_field::launch));
    auto ntid = [&](unsigned axis) {
      return b_.CreateLoad(s_.types.i32,
                           b_.CreateInBoundsGEP(s_.types.launch, launch,
                                                {b_.getInt32(0), b_.getInt32(launch_field::block), b_.getInt32(axis)}));
    };
    Value* plane = b_.CreateAdd(f_.getArg(3), b_.CreateMul(ntid(1), f_.getArg(4)));
    Value* linear = b_.CreateZExt(b_.CreateAdd(f_.getArg(2), b_.CreateMul(ntid(0), plane)), s_.types.i64);
    Value* bytes = b_.CreateLoad(s_.types.i64, b_.CreateStructGEP(s_.types.block, block, block_field::stack_bytes));
    Value* stacks = b_.CreateLoad(s_.types.pointer, b_.CreateStructGEP(s_.types.block, block, block_field::stacks));
    return b_.CreateInBoundsGEP(s_.types.i8, stacks, b_.CreateMul(linear, bytes));
  }

  // A frame of a nested coroutine: memory from the thread's frame stack, or the end of the launch where that is full.
  Value* push_frame(Value* size, Value* align) {
    Type* i64 = s_.types.i64;
    Value* block = b_.CreateLoad(s_.types.pointer, field(record_field::block));
    Value* stacks = b_.CreateLoad(s_.types.pointer, b_.CreateStructGEP(s_.types.block, block, block_field::stacks));
    Value* bytes = b_.CreateLoad(i64, b_.CreateStructGEP(s_.types.block, block, block_field::stack_bytes));
    Value* top = b_.CreateLoad(s_.types.pointer, field(record_field::top));
    Value* wide = b_.CreateSelect(b_.CreateICmpUGT(align, b_.getInt64(16)), align, b_.getInt64(16));
    Value* mask = b_.CreateSub(b_.getInt64(0), wide);
    Value* at = b_.CreatePtrToInt(top, i64);
    Value* from = b_.CreateAnd(b_.CreateAdd(at, b_.CreateSub(wide, b_.getInt64(1))), mask);
    Value* used = b_.CreateURem(b_.CreateSub(at, b_.CreatePtrToInt(stacks, i64)), bytes);
    Value* need = b_.CreateAdd(b_.CreateSub(from, at), size);
    // Strictly less: a top at the very end would be the next thread's beginning.
    Value* fits = b_.CreateICmpULT(b_.CreateAdd(used, need), bytes);
    Value* memory = b_.CreateInBoundsGEP(s_.types.i8, top, b_.CreateSub(from, at));
    auto* overflow = BasicBlock::Create(c_, "overflow", &f_);
    auto* enough = BasicBlock::Create(c_, "enough", &f_);
    b_.CreateCondBr(fits, enough, overflow);
    b_.SetInsertPoint(overflow);
    Value* launch = b_.CreateLoad(s_.types.pointer, b_.CreateStructGEP(s_.types.block, block, block_field::launch));
    Value* services =
        b_.CreateLoad(s_.types.pointer, b_.CreateStructGEP(s_.types.launch, launch, launch_field::services));
    Value* fail =
        b_.CreateLoad(s_.types.pointer, b_.CreateStructGEP(s_.types.services, services, services_field::fail));
    Type *i32 = s_.types.i32, *p = s_.types.pointer;
    b_.CreateCall(FunctionType::get(s_.types.nothing, {p, i32, p, p, i32, p}, false), fail,
                  {block, b_.getInt32(LANZA_FAIL_STACK_OVERFLOW), null(), null(), b_.getInt32(0), null()});
    b_.CreateUnreachable();
    b_.SetInsertPoint(enough);
    b_.CreateStore(b_.CreateInBoundsGEP(s_.types.i8, memory, size), field(record_field::top));
    return memory;
  }

  void end_block() {
    leave_ = BasicBlock::Create(c_, "leave", &f_);
    b_.SetInsertPoint(leave_);
    b_.CreateCall(intrinsic(Intrinsic::coro_end), {handle_, b_.getFalse(), ConstantTokenNone::get(c_)});
    b_.CreateRetVoid();
  }

  void collect() {
    for (Instruction& i : instructions(f_)) {
      auto* call = dyn_cast<CallInst>(&i);
      auto* end = dyn_cast<ReturnInst>(&i);
      if (as_sync(i))
        points_.push_back(call);
      else if (call && call->getCalledFunction() && s_.coroutines.contains(call->getCalledFunction()))
        calls_.push_back(call);
      else if (end && end->getParent() != leave_)
        returns_.push_back(end);
    }
  }

  void lower_return(ReturnInst& end) {
    b_.SetInsertPoint(&end);
    if (!root_) {
      if (Value* result = end.getReturnValue()) b_.CreateStore(result, f_.getArg(1));
      b_.CreateStore(caller_, field(record_field::current));
      b_.CreateStore(handle_, field(record_field::top));
    }
    store_word(b_.getInt32(root_ ? LANZA_SYNC_DONE : LANZA_SYNC_RETURN));
    b_.CreateBr(leave_);
    end.eraseFromParent();
  }

  // Splits the block before `next`, which is the first instruction after the resume.
  void suspend(Instruction& next) {
    BasicBlock* block = next.getParent();
    BasicBlock* resumed = block->splitBasicBlock(&next, "resumed");
    block->getTerminator()->eraseFromParent();
    b_.SetInsertPoint(block);
    b_.SetCurrentDebugLocation(next.getDebugLoc());
    Value* state = b_.CreateCall(intrinsic(Intrinsic::coro_suspend), {ConstantTokenNone::get(c_), b_.getFalse()});
    SwitchInst* choice = b_.CreateSwitch(state, leave_, 2);
    choice->addCase(b_.getInt8(0), resumed);
    choice->addCase(b_.getInt8(1), leave_);
  }

  static bool has_mask(LanzaSyncKind kind) { return kind >= LANZA_SYNC_WARP && kind <= LANZA_SYNC_REDUCE; }
  static bool has_operand(LanzaSyncKind kind) {
    return kind == LANZA_SYNC_BARRIER_COUNT || (kind >= LANZA_SYNC_BALLOT && kind <= LANZA_SYNC_REDUCE);
  }

  // For reports of deadlocks, at what can be one.
  void note_line(const CallInst& point, LanzaSyncKind kind) {
    const bool waits = kind <= LANZA_SYNC_REDUCE || kind == LANZA_SYNC_GRID;
    const DebugLoc& place = point.getDebugLoc();
    const DISubprogram* subprogram = f_.getSubprogram();
    if (!waits || !place || !subprogram) return;
    const bool known = place.getLine() <= UINT16_MAX && place->getFile() == subprogram->getFile();
    b_.CreateStore(b_.getInt16(known ? static_cast<uint16_t>(place.getLine()) : 0), field(record_field::line));
  }

  void lower_point(CallInst& point) {
    const LanzaSyncKind kind = sync_kind(point);
    b_.SetInsertPoint(&point);
    Value* id = b_.CreateShl(b_.CreateAnd(point.getArgOperand(kSyncId), 255), 8);
    Value* aux = b_.CreateShl(point.getArgOperand(kSyncAux), 16);
    store_word(b_.CreateOr(b_.CreateOr(b_.getInt32(kind), id), aux));
    if (has_mask(kind)) b_.CreateStore(point.getArgOperand(kSyncMask), field(record_field::mask));
    if (has_operand(kind)) b_.CreateStore(point.getArgOperand(kSyncValue), field(record_field::operand));
    note_line(point, kind);
    suspend(point);
    if (!point.use_empty()) {
      b_.SetInsertPoint(&point);
      point.replaceAllUsesWith(b_.CreateLoad(s_.types.i64, field(record_field::operand)));
    }
    point.eraseFromParent();
  }

  // A call of a function that waits. It either ran to its end at once (RETURN), or its first point is in the record:
  // wait with it.
  void lower_call(CallInst& call) {
    b_.SetInsertPoint(&call);
    AllocaInst* result = nullptr;
    if (!call.getType()->isVoidTy()) result = new AllocaInst(call.getType(), 0, "result", head_->begin());
    SmallVector<Value*, 8> arguments{record_, result ? result : null()};
    append_range(arguments, call.args());
    b_.CreateCall(s_.coroutines.lookup(call.getCalledFunction()), arguments);
    Value* finished = b_.CreateICmpEQ(b_.CreateLoad(s_.types.i32, record_), b_.getInt32(LANZA_SYNC_RETURN));
    suspend(*SplitBlockAndInsertIfThen(b_.CreateNot(finished), &call, false));
    b_.SetInsertPoint(&call);
    if (result) call.replaceAllUsesWith(b_.CreateLoad(call.getType(), result));
    call.eraseFromParent();
  }

  Shared& s_;
  Function &source_, &f_;
  const bool root_;
  LLVMContext& c_;
  Builder b_;
  BasicBlock *head_ = nullptr, *leave_ = nullptr;
  AllocaInst* promise_ = nullptr;
  Value *record_ = nullptr, *handle_ = nullptr, *caller_ = nullptr;
  SmallVector<CallInst*, 16> points_, calls_;
  SmallVector<ReturnInst*, 4> returns_;
};

// Functions that hold a point or call one that does.
SmallPtrSet<Function*, 8> waiting_functions(ArrayRef<Function*> functions) {
  SmallPtrSet<Function*, 8> waiting;
  for (bool changed = true; changed;) {
    changed = false;
    for (Function* f : functions) {
      if (waiting.contains(f)) continue;
      for (Instruction& i : instructions(*f)) {
        auto* call = dyn_cast<CallInst>(&i);
        if (!as_sync(i) && !(call && waiting.contains(call->getCalledFunction()))) continue;
        waiting.insert(f);
        changed = true;
        break;
      }
    }
  }
  return waiting;
}

// void (LanzaRecord*, result*, arguments...)
Function* nested_declaration(Function& source, const AbiTypes& types) {
  SmallVector<Type*, 8> parameters{types.pointer, types.pointer};
  append_range(parameters, source.getFunctionType()->params());
  auto* f = Function::Create(FunctionType::get(types.nothing, parameters, false), GlobalValue::InternalLinkage,
                             source.getName() + ".nested", *source.getParent());
  for (Argument& a : source.args()) a.replaceAllUsesWith(f->getArg(a.getArgNo() + 2));
  return f;
}

}  // namespace

ThreadEngine make_coroutine(Function& kernel) {
  Module& module = *kernel.getParent();
  Shared shared(module);
  const SmallVector<Function*, 8> functions = out_of_line_functions(module, kernel);
  const SmallPtrSet<Function*, 8> waiting = waiting_functions(functions);
  SmallVector<Function*, 8> plain;
  for (Function* f : functions) {
    if (waiting.contains(f))
      shared.coroutines[f] = nested_declaration(*f, shared.types);
    else
      plain.push_back(f);
  }
  shared.nested = !waiting.empty();
  if (shared.nested) shared.record = shared.types.nested_record;
  shared.plain = add_hidden_context(plain, shared.types);
  for (auto [source, target] : shared.coroutines) Coroutine(shared, *source, *target, false).build();

  Type *p = shared.types.pointer, *i32 = shared.types.i32;
  // External until the split is done: LLVM's call graph does not see an internal function that nobody calls.
  auto* start = Function::Create(FunctionType::get(shared.types.nothing, {p, p, i32, i32, i32}, false),
                                 GlobalValue::ExternalLinkage, "start", module);
  Coroutine(shared, kernel, *start, true).build();
  erase_originals(shared.plain);
  erase_originals(shared.coroutines);
  return {start, shared.nested, 0, 0};
}

Function* make_thread_runner(Module& module, const ThreadEngine& engine) {
  LLVMContext& c = module.getContext();
  AbiTypes types(c);
  auto word = [&](uint64_t v) { return ConstantInt::get(types.i32, v); };
  Constant* value = ConstantStruct::get(
      types.threads, {engine.start, ConstantInt::get(types.i64, engine.frame_bytes),
                      ConstantInt::get(types.i64, engine.frame_align), word(engine.nested), word(0)});
  auto* threads = new GlobalVariable(module, types.threads, true, GlobalValue::InternalLinkage, value, "threads");
  auto* run = Function::Create(FunctionType::get(types.i32, {types.pointer, types.pointer, types.pointer}, false),
                               GlobalValue::InternalLinkage, "run", module);
  run->addFnAttr(Attribute::NoUnwind);
  Builder b(BasicBlock::Create(c, "entry", run));
  Value* services =
      b.CreateLoad(types.pointer, b.CreateStructGEP(types.launch, run->getArg(0), launch_field::services));
  Value* run_threads =
      b.CreateLoad(types.pointer, b.CreateStructGEP(types.services, services, services_field::run_threads));
  auto* type = FunctionType::get(types.i32, {types.pointer, types.pointer}, false);
  b.CreateRet(b.CreateCall(type, run_threads, {run->getArg(2), threads}));
  return run;
}

}  // namespace lanza::compiler
