#include "compiler/passes/vector/lanes/masked_bytes.hpp"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/lanes/masked_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostBytes = 64, kRegister = 32, kPage = 4096;
constexpr unsigned kMostChoices = 16;  // a mispredicted branch costs as much as so many lanes' choices
constexpr unsigned kOften = 128;       // times as often: a page has that many vectors of 32 bytes
constexpr CallingConv::ID kConvention = CallingConv::PreserveMost;  // else bases of arrays would live in memory

class MaskedBytes {
 public:
  explicit MaskedBytes(Function& run) : run_(run) {}

  bool expand() {
    SmallVector<IntrinsicInst*, 16> accesses;
    for (Instruction& i : instructions(run_))
      if (auto* access = dyn_cast<IntrinsicInst>(&i); access && is_narrow(*access)) accesses.push_back(access);
    for (IntrinsicInst* access : accesses)
      access->getIntrinsicID() == Intrinsic::masked_load ? expand_load(*access) : expand_store(*access);
    return !accesses.empty();
  }

 private:
  /// Where the active lanes lie, in bytes.
  struct Span {
    Value *first, *bytes;
  };

  static bool is_narrow(const IntrinsicInst& access) {
    const bool loads = access.getIntrinsicID() == Intrinsic::masked_load;
    if (!loads && access.getIntrinsicID() != Intrinsic::masked_store) return false;
    if (isa<Constant>(access.getArgOperand(loads ? 2 : 3))) return false;
    auto* type = cast<FixedVectorType>(loads ? access.getType() : access.getArgOperand(0)->getType());
    const unsigned bits = type->getScalarSizeInBits();
    return (bits == 8 || bits == 16) && type->getNumElements() <= 64 && bytes_of(*type) <= kMostBytes;
  }

  static unsigned bytes_of(const FixedVectorType& type) {
    return type.getNumElements() * type.getScalarSizeInBits() / 8;
  }

  static Value* bits_of(IRBuilder<>& b, Value* mask) {
    const unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
    return b.CreateZExt(b.CreateBitCast(mask, b.getIntNTy(lanes)), b.getInt64Ty());
  }

  // What lies on one page is loaded here: a call costs all registers of lanes.
  void expand_load(IntrinsicInst& load) {
    Value *address = load.getArgOperand(0), *mask = load.getArgOperand(2), *others = load.getArgOperand(3);
    auto& type = *cast<FixedVectorType>(load.getType());
    IRBuilder<> b(&load);
    Value* bits = bits_of(b, mask);
    Value* any = b.CreateIsNotNull(bits);
    Value* at_once = b.CreateAnd(any, is_on_one_page(b, address, type));
    Instruction *here, *by_call;
    SplitBlockAndInsertIfThenElse(at_once, &load, &here, &by_call,
                                  MDBuilder(b.getContext()).createBranchWeights(kOften, 1));
    b.SetInsertPoint(here);
    Value* whole = b.CreateAlignedLoad(&type, address, Align(1));
    b.SetInsertPoint(by_call);
    CallInst* lanes = b.CreateCall(loader(type, load.getDebugLoc()), {address, bits});
    lanes->setCallingConv(kConvention);
    b.SetInsertPoint(&load);
    PHINode* either = b.CreatePHI(&type, 2);
    either->addIncoming(whole, here->getParent());
    either->addIncoming(lanes, by_call->getParent());
    load.replaceAllUsesWith(isa<UndefValue>(others) ? static_cast<Value*>(either)
                                                    : b.CreateSelect(mask, either, others));
    load.eraseFromParent();
  }

  static Value* is_on_one_page(IRBuilder<>& b, Value* address, const FixedVectorType& type) {
    Value* in_page = b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), kPage - 1);
    return b.CreateICmpULE(in_page, b.getInt64(kPage - bytes_of(type)));
  }

  void expand_store(IntrinsicInst& store) {
    IRBuilder<> b(&store);
    Value* lanes = store.getArgOperand(0);
    Value* bits = bits_of(b, store.getArgOperand(3));
    auto& type = *cast<FixedVectorType>(lanes->getType());
    b.CreateCall(storer(type, store.getDebugLoc()), {lanes, store.getArgOperand(1), bits})->setCallingConv(kConvention);
    store.eraseFromParent();
  }

  /// For accesses of one type and one line of source, at which a fault is reported.
  using Key = std::pair<Type*, std::pair<DIFile*, unsigned>>;

  static Key key_of(FixedVectorType& type, const DebugLoc& line) {
    return line ? Key(&type, {line->getFile(), line->getLine()}) : Key(&type, {nullptr, 0});
  }

  void set_line(Function& function, const DebugLoc& line) const {
    DISubprogram* kernel = run_.getSubprogram();
    if (!line || !kernel) return;
    DIBuilder builder(*run_.getParent(), /*AllowUnresolved=*/false, kernel->getUnit());
    DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    DISubprogram* subprogram = builder.createFunction(line->getFile(), function.getName(), "", line->getFile(),
                                                      line->getLine(), type, line->getLine(), DINode::FlagArtificial,
                                                      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    builder.finalizeSubprogram(subprogram);
    function.setSubprogram(subprogram);
    const DebugLoc here = DILocation::get(run_.getContext(), line->getLine(), line->getColumn(), subprogram);
    for (Instruction& i : instructions(function)) i.setDebugLoc(here);
  }

  Function* make(Type* result, ArrayRef<Type*> parameters, const Twine& name) {
    auto* type = FunctionType::get(result, parameters, false);
    Function* function = Function::Create(type, GlobalValue::InternalLinkage, name, run_.getParent());
    for (const char* attribute : {"target-cpu", "target-features", "probe-stack"})
      if (run_.hasFnAttribute(attribute)) function->addFnAttr(run_.getFnAttribute(attribute));
    function->setCallingConv(kConvention);
    function->addFnAttr(Attribute::NoInline);
    function->addFnAttr(Attribute::NoUnwind);
    return function;
  }

  // Room for a vector, and a return where no lane is active: zeros, if it gives any. The builder goes on where some
  // are.
  static AllocaInst* begin(IRBuilder<>& b, Function& function, FixedVectorType& type, Value* bits) {
    auto* entry = BasicBlock::Create(b.getContext(), "entry", &function);
    auto* none = BasicBlock::Create(b.getContext(), "none", &function);
    auto* any = BasicBlock::Create(b.getContext(), "any", &function);
    b.SetInsertPoint(entry);
    AllocaInst* room = b.CreateAlloca(&type);
    b.CreateCondBr(b.CreateIsNull(bits), none, any);
    b.SetInsertPoint(none);
    function.getReturnType()->isVoidTy() ? b.CreateRetVoid() : b.CreateRet(Constant::getNullValue(&type));
    b.SetInsertPoint(any);
    return room;
  }

  Function* loader(FixedVectorType& type, const DebugLoc& line) {
    Function*& made = loaders_[key_of(type, line)];
    if (made) return made;
    LLVMContext& context = run_.getContext();
    made = make(&type, {PointerType::get(context, 0), Type::getInt64Ty(context)}, "load_lanes");
    Value *address = made->getArg(0), *bits = made->getArg(1);
    IRBuilder<> b(context);
    AllocaInst* room = begin(b, *made, type, bits);
    b.CreateStore(Constant::getNullValue(&type), room);
    copy_lanes(b, bits, address, room, type.getElementType());
    b.CreateRet(b.CreateLoad(&type, room));
    set_line(*made, line);
    return made;
  }

  Function* storer(FixedVectorType& type, const DebugLoc& line) {
    Function*& made = storers_[key_of(type, line)];
    if (made) return made;
    LLVMContext& context = run_.getContext();
    made =
        make(Type::getVoidTy(context), {&type, PointerType::get(context, 0), Type::getInt64Ty(context)}, "store_lanes");
    Value *lanes = made->getArg(0), *address = made->getArg(1), *bits = made->getArg(2);
    IRBuilder<> b(context);
    AllocaInst* room = begin(b, *made, type, bits);
    auto* side_by_side = BasicBlock::Create(context, "side_by_side", made);
    auto* whole = BasicBlock::Create(context, "whole", made);
    auto* part = BasicBlock::Create(context, "part", made);
    auto* apart = BasicBlock::Create(context, "apart", made);
    const Span span = span_of(b, bits, type);
    Value* from_first = b.CreateLShr(bits, b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue()));
    Value* holes = b.CreateAnd(from_first, b.CreateAdd(from_first, b.getInt64(1)));
    b.CreateCondBr(b.CreateIsNull(holes), side_by_side, apart);
    b.SetInsertPoint(side_by_side);
    b.CreateCondBr(b.CreateICmpEQ(span.bytes, b.getInt64(bytes_of(type))), whole, part);
    b.SetInsertPoint(whole);
    b.CreateAlignedStore(lanes, address, Align(1));
    b.CreateRetVoid();
    b.SetInsertPoint(part);
    b.CreateStore(lanes, room);
    copy(b, element(b, room, span.first), element(b, address, span.first), span.bytes, bytes_of(type));
    b.CreateRetVoid();
    b.SetInsertPoint(apart);
    store_apart(b, bits, lanes, address, room);
    b.CreateRetVoid();
    set_line(*made, line);
    return made;
  }

  // Lanes with holes between them, which seldom are the same ones as the last time: each goes to its place or to the
  // room.
  static void store_apart(IRBuilder<>& b, Value* bits, Value* lanes, Value* address, Value* room) {
    auto* type = cast<FixedVectorType>(lanes->getType());
    if (type->getNumElements() > kMostChoices) {
      b.CreateStore(lanes, room);
      copy_lanes(b, bits, room, address, type->getElementType());
      return;
    }
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      Value* is_active = b.CreateIsNotNull(b.CreateAnd(bits, b.getInt64(uint64_t(1) << lane)));
      Value* value = b.CreateExtractElement(lanes, lane);
      Value* place = b.CreateConstGEP1_64(type->getElementType(), address, lane);
      b.CreateAlignedStore(value, b.CreateSelect(is_active, place, room), Align(1));
    }
  }

  static Value* element(IRBuilder<>& b, Value* base, Value* byte) { return b.CreateGEP(b.getInt8Ty(), base, byte); }

  static Span span_of(IRBuilder<>& b, Value* bits, const FixedVectorType& type) {
    const uint64_t size = type.getScalarSizeInBits() / 8;
    Value* first = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue());
    Value* end = b.CreateSub(b.getInt64(64), b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue()));
    return {b.CreateMul(first, b.getInt64(size)), b.CreateMul(b.CreateSub(end, first), b.getInt64(size))};
  }

  // From one to fewer than `most` bytes: by the largest registers of which two, that may overlap, cover them.
  static void copy(IRBuilder<>& b, Value* from, Value* to, Value* bytes, unsigned most) {
    Function* function = b.GetInsertBlock()->getParent();
    auto* after = BasicBlock::Create(b.getContext(), "copied", function);
    auto move = [&](Type* type, Value* at) {
      return std::pair(b.CreateAlignedLoad(type, element(b, from, at), Align(1)), element(b, to, at));
    };
    for (unsigned size = std::min(most / 2, kRegister); size > 1; size /= 2) {
      auto* by_two = BasicBlock::Create(b.getContext(), "by_" + Twine(size), function, after);
      auto* shorter = BasicBlock::Create(b.getContext(), "shorter", function, after);
      b.CreateCondBr(b.CreateICmpUGE(bytes, b.getInt64(size)), by_two, shorter);
      b.SetInsertPoint(by_two);
      auto* type = FixedVectorType::get(b.getInt8Ty(), size);
      const auto [head, to_head] = move(type, b.getInt64(0));
      const auto [tail, to_tail] = move(type, b.CreateSub(bytes, b.getInt64(size)));
      b.CreateAlignedStore(head, to_head, Align(1));
      b.CreateAlignedStore(tail, to_tail, Align(1));
      b.CreateBr(after);
      b.SetInsertPoint(shorter);
    }
    const auto [one, to_one] = move(b.getInt8Ty(), b.getInt64(0));
    b.CreateAlignedStore(one, to_one, Align(1));
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }

  // For each of the bits, of which there are some, in the order of lanes: to[lane] = from[lane].
  static void copy_lanes(IRBuilder<>& b, Value* bits, Value* from, Value* to, Type* type) {
    BasicBlock* before = b.GetInsertBlock();
    auto* loop = BasicBlock::Create(b.getContext(), "lane", before->getParent());
    auto* after = BasicBlock::Create(b.getContext(), "copied", before->getParent());
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    PHINode* rest = b.CreatePHI(b.getInt64Ty(), 2);
    rest->addIncoming(bits, before);
    Value* lane = b.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b.getTrue());
    Value* value = b.CreateAlignedLoad(type, b.CreateGEP(type, from, lane), Align(1));
    b.CreateAlignedStore(value, b.CreateGEP(type, to, lane), Align(1));
    Value* next = b.CreateAnd(rest, b.CreateSub(rest, b.getInt64(1)));
    rest->addIncoming(next, loop);
    b.CreateCondBr(b.CreateIsNull(next), after, loop);
    b.SetInsertPoint(after);
  }

  Function& run_;
  DenseMap<Key, Function*> loaders_, storers_;
};

}  // namespace

bool expand_masked_bytes(Function& run, const TargetTransformInfo& host) {
  if (has_native_masks(host)) return false;
  return MaskedBytes(run).expand();
}

}  // namespace lanza::compiler
