// Updates of one place by a lane after the other (`*p = max(*p, v)`), of which most change nothing: all lanes ask at
// once who would change what is there now, and only the first one that would does.
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// A function of one block that loads, computes and stores at the same place.
struct Update {
  LoadInst* load = nullptr;
  StoreInst* store = nullptr;
  SmallSetVector<Value*, 8> address;     ///< what it follows from, parameters included
  SmallVector<Instruction*, 16> others;  ///< in order
};

}  // namespace

// Whether v may be what was found. A sum is so for one number only.
static bool may_keep(const Value* v, const LoadInst* found) {
  if (v == found) return true;
  if (auto* cast = dyn_cast<BitCastInst>(v)) return may_keep(cast->getOperand(0), found);
  if (auto* choice = dyn_cast<SelectInst>(v))
    return may_keep(choice->getTrueValue(), found) || may_keep(choice->getFalseValue(), found);
  auto* extremum = dyn_cast<IntrinsicInst>(v);
  if (!extremum) return false;
  switch (extremum->getIntrinsicID()) {
    case Intrinsic::maxnum:
    case Intrinsic::minnum:
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
      return may_keep(extremum->getArgOperand(0), found) || may_keep(extremum->getArgOperand(1), found);
    default:
      return false;
  }
}

// All lanes compute it, also those that are off.
static bool has_vector_form(const Instruction& i) {
  if (!isSafeToSpeculativelyExecute(&i)) return false;
  if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
    const Intrinsic::ID id = call->getIntrinsicID();
    return isTriviallyVectorizable(id) && !isVectorIntrinsicWithOverloadTypeAtArg(id, 0) &&
           none_of(seq<unsigned>(0, call->arg_size()),
                   [&](unsigned k) { return isVectorIntrinsicWithScalarOpAtArg(id, k); });
  }
  return isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst, CastInst, FreezeInst>(i);
}

static bool find_place(Function& callee, Update& update) {
  for (Instruction& i : callee.getEntryBlock()) {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* store = dyn_cast<StoreInst>(&i);
    if ((load && (update.load || !load->isSimple())) || (store && (update.store || !store->isSimple()))) return false;
    if (load) update.load = load;
    if (store) update.store = store;
  }
  return update.load && update.store && update.load->getPointerOperand() == update.store->getPointerOperand();
}

static bool find(Function& callee, Update& update) {
  if (!find_place(callee, update)) return false;
  Value* result = update.store->getValueOperand();
  if (result->getType()->isPointerTy() || !may_keep(result, update.load)) return false;
  update.address.insert(update.load->getPointerOperand());
  for (size_t k = 0; k < update.address.size(); ++k)
    if (auto* i = dyn_cast<Instruction>(update.address[k])) update.address.insert(i->op_begin(), i->op_end());
  for (Instruction& i : callee.getEntryBlock())
    if (&i != update.load && &i != update.store && !i.isTerminator() && !update.address.contains(&i))
      update.others.push_back(&i);
  return !update.address.contains(update.load) &&
         all_of(update.others, [](Instruction* i) { return has_vector_form(*i); });
}

namespace {

/// The callee's values in the caller: of its address one for all lanes, else those of all lanes.
class LanesOfUpdate {
 public:
  LanesOfUpdate(IRBuilder<>& b, const Update& update, unsigned lanes) : b_(b), update_(update), lanes_(lanes) {}

  void set(Value* parameter, Value* one, Value* all) {
    one_[parameter] = one;
    all_[parameter] = all;
  }

  void compute_address() {
    for (Instruction& i : *update_.load->getParent())
      if (update_.address.contains(&i)) one_[&i] = insert(i, i.getType(), [&](Value* v) { return scalar(v); });
  }

  void compute_others(bool behind_load) {
    for (Instruction* i : update_.others)
      if (update_.load->comesBefore(i) == behind_load)
        all_[i] = insert(*i, wide(i->getType()), [&](Value* v) { return vector(v); });
  }

  void load() {
    one_[update_.load] = insert(*update_.load, update_.load->getType(), [&](Value* v) { return scalar(v); });
  }

  // Bit by bit: a zero's sign is a change, and a number that is none is the same as itself.
  Value* changes() {
    auto words = [&](Value* v) {
      return b_.CreateBitCast(vector(v), wide(b_.getIntNTy(v->getType()->getPrimitiveSizeInBits())));
    };
    return b_.CreateICmpNE(words(update_.store->getValueOperand()), words(update_.load));
  }

 private:
  Type* wide(Type* type) const { return FixedVectorType::get(type, lanes_); }
  Value* scalar(Value* v) const { return isa<Constant>(v) ? v : one_.lookup(v); }
  Value* vector(Value* v) {
    Value* known = all_.lookup(v);
    return known ? known : b_.CreateVectorSplat(lanes_, scalar(v));
  }

  Value* insert(Instruction& i, Type* type, function_ref<Value*(Value*)> of) {
    Instruction* copy = i.clone();
    auto* call = dyn_cast<IntrinsicInst>(copy);
    for (unsigned k = 0; k < (call ? call->arg_size() : i.getNumOperands()); ++k)
      copy->setOperand(k, of(i.getOperand(k)));
    copy->mutateType(type);
    if (call) call->setCalledFunction(Intrinsic::getDeclaration(i.getModule(), call->getIntrinsicID(), type));
    copy->dropUnknownNonDebugMetadata();
    copy->setDebugLoc({});
    return b_.Insert(copy);
  }

  IRBuilder<>& b_;
  const Update& update_;
  const unsigned lanes_;
  DenseMap<const Value*, Value*> one_, all_;
};

}  // namespace

// The place is the same for all lanes.
bool Widener::update_in_turn(CallInst& call) {
  Update update;
  if (!find(*call.getCalledFunction(), update)) return false;
  LanesOfUpdate lanes(b_, update, lanes_);
  for (auto [parameter, argument] : zip(call.getCalledFunction()->args(), call.args())) {
    const bool places = update.address.contains(&parameter);
    if (places && !shapes_.is_uniform(argument)) return false;
    lanes.set(&parameter, places ? scalar(argument) : nullptr, places ? nullptr : vector(argument));
  }
  lanes.compute_address();
  lanes.compute_others(/*behind_load=*/false);
  Value* active = mask_bits();
  ask_in_turn(call, active, [&] {
    lanes.load();
    lanes.compute_others(/*behind_load=*/true);
    return lanes.changes();
  });
  return true;
}

// ask:    who of the lanes left would change what is there? none: after; many: each
// change: the first of them does; left: the lanes behind it; ask
// each:   all that are left, one after the other; after
void Widener::ask_in_turn(CallInst& call, Value* active, function_ref<Value*()> changes) {
  BasicBlock* before = b_.GetInsertBlock();
  auto add = [&](const char* name, BasicBlock* behind) {
    return BasicBlock::Create(kernel_.getContext(), name, group_function_, behind->getNextNode());
  };
  BasicBlock *ask = add("ask", before), *some = add("some", ask), *change = add("change", some),
             *each = add("each", change), *after = add("after", each);
  b_.CreateBr(ask);
  b_.SetInsertPoint(ask);
  PHINode* left = b_.CreatePHI(bits_type(), 2, "left");
  left->addIncoming(active, before);
  Value* who = b_.CreateAnd(b_.CreateBitCast(changes(), bits_type()), left);
  b_.CreateCondBr(b_.CreateIsNull(who), after, some);

  b_.SetInsertPoint(some);
  Value* few = ConstantInt::get(bits_type(), lanes_ / 4);
  b_.CreateCondBr(b_.CreateICmpUGT(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, who), few), each, change);

  auto call_of_first = [&](Value* bits) {
    Value* lane = b_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b_.getTrue());
    Instruction* copy = call.clone();
    for (Use& argument : cast<CallInst>(copy)->args()) argument.set(lane_of(argument, lane));
    b_.Insert(copy)->setDebugLoc(call.getDebugLoc());
    return lane;
  };
  b_.SetInsertPoint(change);
  Value* behind = b_.CreateShl(ConstantInt::getSigned(bits_type(), -2), call_of_first(who));
  left->addIncoming(b_.CreateAnd(left, behind), change);
  b_.CreateBr(ask);

  b_.SetInsertPoint(each);
  PHINode* bits = b_.CreatePHI(bits_type(), 2, "lanes");
  bits->addIncoming(left, some);
  call_of_first(bits);
  Value* rest = b_.CreateAnd(bits, b_.CreateSub(bits, ConstantInt::get(bits_type(), 1)));
  bits->addIncoming(rest, each);
  b_.CreateCondBr(b_.CreateIsNull(rest), after, each);
  b_.SetInsertPoint(after);
}

}  // namespace lanza::compiler
