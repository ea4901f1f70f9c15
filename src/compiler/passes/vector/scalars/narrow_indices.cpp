#include "compiler/passes/vector/scalars/narrow_indices.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kMostConditions = 64;  // a launch is asked some 0.5 ns long for each

static bool is_wide(const Value* v) { return v->getType()->isIntegerTy(64); }

// Operations whose result, where 32 bits hold it and the operands, is that of 32 bits.
static bool is_narrowable(const Value* v) {
  if (isa<Argument>(v)) return true;
  auto* i = dyn_cast<Instruction>(v);
  if (!i) return false;
  if (auto* call = dyn_cast<CallInst>(i))
    return isa<MinMaxIntrinsic>(call) || call->getIntrinsicID() == Intrinsic::usub_sat;
  if (auto* extension = dyn_cast<CastInst>(i))
    return isa<ZExtInst, SExtInst>(i) && extension->getSrcTy()->getIntegerBitWidth() <= 32;
  return isa<BinaryOperator, PHINode, SelectInst, LoadInst>(i);
}

// Its operands are no parts of the computation.
static bool is_leaf(const Value* v) { return isa<Argument, CastInst, LoadInst>(v); }

static auto parts_of(Instruction& i) {
  SmallVector<Value*, 3> parts;
  for (Value* operand : i.operands())
    if (is_wide(operand)) parts.push_back(operand);
  return parts;
}

// `p + y * w + x`, as LLVM writes `p[y * w + x]`, is one sum: it may be in range where nothing is known of an address.
void NarrowIndices::join_addresses() {
  for (Instruction& i : instructions(kernel_)) {
    auto* address = dyn_cast<GetElementPtrInst>(&i);
    auto* first = address ? dyn_cast<GetElementPtrInst>(address->getPointerOperand()) : nullptr;
    if (!first || address->getNumIndices() != 1 || first->getNumIndices() != 1) continue;
    Value *a = first->getOperand(1), *b = address->getOperand(1);
    if (first->getSourceElementType() != address->getSourceElementType() || !is_wide(a) || !is_wide(b)) continue;
    if (!ranges_.of(*a).range || !ranges_.of(*b).range) continue;
    address->setOperand(1, IRBuilder<>(address).CreateAdd(a, b));
    address->setOperand(0, first->getPointerOperand());
    if (!first->isInBounds()) address->setIsInBounds(false);
  }
}

void NarrowIndices::find(Value* value) {
  if (!is_wide(value) || !is_narrowable(value) || !ranges_.of(*value).range || !found_.insert(value)) return;
  if (is_leaf(value)) return;
  for (Value* part : parts_of(*cast<Instruction>(value))) find(part);
}

void NarrowIndices::find_questions() {
  for (Instruction& i : instructions(kernel_)) {
    auto* question = dyn_cast<ICmpInst>(&i);
    if (!question || !is_wide(question->getOperand(0))) continue;
    for (Value* operand : question->operands()) find(operand);
    questions_.push_back(question);
  }
}

bool NarrowIndices::is_found(Value* value) const {
  if (auto* number = dyn_cast<ConstantInt>(value)) return number->getValue().isSignedIntN(32);
  return found_.contains(value);
}

void NarrowIndices::drop_unknown() {
  auto is_unknown = [&](Value* value) {
    if (is_leaf(value)) return false;
    return any_of(parts_of(*cast<Instruction>(value)), [&](Value* part) { return !is_found(part); });
  };
  while (found_.remove_if(is_unknown)) {
  }
  erase_if(questions_, [&](ICmpInst* question) {
    return any_of(question->operands(), [&](const Use& operand) { return !is_found(operand); });
  });
}

// Where only guards would be narrower nothing is gained.
bool NarrowIndices::gains() const {
  return any_of(found_, [](Value* value) { return !is_leaf(value); });
}

bool NarrowIndices::ask_range(LaunchRange range) {
  const auto low = constant_of(range.low), high = constant_of(range.high);
  if ((low && *low < -0x1p31) || (high && *high >= 0x1p31)) return false;
  if (!low && !test_.is_never_negative(range.low) && low_.insert(range.low).second)
    conditions_.insert(test_.is_at_least(range.low, -0x1p31));
  if (!high && high_.insert(range.high).second) conditions_.insert(test_.is_below(range.high, 0x1p31));
  return true;
}

// Of numbers that are not negative 32 bits have the same quotients and bits.
bool NarrowIndices::ask_natural(User& user) {
  for (Value* operand : user.operands()) {
    const KnownRange known = ranges_.of_natural(*operand);
    if (!known.range) return false;
    conditions_.insert(known.needs.begin(), known.needs.end());
  }
  return true;
}

bool NarrowIndices::ask_operation(Value& value) {
  auto* operation = dyn_cast<BinaryOperator>(&value);
  if (!operation) return true;
  if (operation->isIntDivRem()) return ask_natural(*operation);
  if (!operation->isShift()) return true;
  auto* by = dyn_cast<ConstantInt>(operation->getOperand(1));
  return by && by->getValue().ult(32) && (operation->getOpcode() != Instruction::LShr || ask_natural(*operation));
}

void NarrowIndices::ask_parts(Value& value) {
  SmallVector<Value*, 16> parts{&value};
  while (!parts.empty()) {
    Value* part = parts.pop_back_val();
    if (!seen_.insert(part).second) continue;
    const KnownRange& known = ranges_.of(*part);
    conditions_.insert(known.needs.begin(), known.needs.end());
    parts.append(known.parts.begin(), known.parts.end());
  }
}

// False: no launch fits, or it takes too many questions.
bool NarrowIndices::ask(Require require) {
  for (Value* value : found_) {
    if (!ask_range(ranges_.of(*value).range) || !ask_operation(*value)) return false;
    ask_parts(*value);
  }
  if (test_.required() + conditions_.size() > kMostConditions) return false;
  for (Value* condition : conditions_) test_.require(condition);
  for (Value* value : found_) require(*value);
  return true;
}

Value* NarrowIndices::narrow(Value* value) {
  if (auto* number = dyn_cast<ConstantInt>(value))
    return ConstantInt::get(Type::getInt32Ty(value->getContext()), number->getValue().trunc(32));
  if (Value* known = narrow_.lookup(value)) return known;
  if (auto* parameter = dyn_cast<Argument>(value)) {
    IRBuilder<> b(&*kernel_.getEntryBlock().getFirstInsertionPt());
    return narrow_[value] = b.CreateTrunc(parameter, b.getInt32Ty());
  }
  auto& i = *cast<Instruction>(value);
  if (auto* phi = dyn_cast<PHINode>(&i)) {  // before what it is made of, which it is part of
    auto* made = PHINode::Create(Type::getInt32Ty(i.getContext()), phi->getNumIncomingValues(), "", &i);
    made->setDebugLoc(i.getDebugLoc());
    narrow_[value] = made;
    for (const auto& [from, incoming] : zip(phi->blocks(), phi->incoming_values()))
      made->addIncoming(narrow(incoming), from);
    return made;
  }
  return narrow_[value] = make(i);
}

Value* NarrowIndices::make(Instruction& i) {
  IRBuilder<> b(&i);
  if (isa<LoadInst>(i)) {
    b.SetInsertPoint(i.getNextNode());
    return b.CreateTrunc(&i, b.getInt32Ty());
  }
  if (isa<CastInst>(i)) return b.CreateIntCast(i.getOperand(0), b.getInt32Ty(), isa<SExtInst>(i));
  if (auto* choice = dyn_cast<SelectInst>(&i))
    return b.CreateSelect(choice->getCondition(), narrow(choice->getTrueValue()), narrow(choice->getFalseValue()));
  if (auto* call = dyn_cast<IntrinsicInst>(&i))
    return b.CreateBinaryIntrinsic(call->getIntrinsicID(), narrow(call->getArgOperand(0)),
                                   narrow(call->getArgOperand(1)));
  auto* made = BinaryOperator::Create(cast<BinaryOperator>(i).getOpcode(), narrow(i.getOperand(0)),
                                      narrow(i.getOperand(1)), "", &i);
  made->setDebugLoc(i.getDebugLoc());
  if (isa<OverflowingBinaryOperator>(made)) {
    made->setHasNoSignedWrap();
    made->setHasNoUnsignedWrap(ranges_.of(i).is_unsigned);
  }
  if (auto* disjoint = dyn_cast<PossiblyDisjointInst>(&i))
    cast<PossiblyDisjointInst>(made)->setIsDisjoint(disjoint->isDisjoint());
  return made;
}

// For those who take it in 64 bits.
void NarrowIndices::extend(Instruction& i) {
  auto stays = [&](const Use& use) {
    return !found_.contains(use.getUser()) && !is_contained(replaced_, use.getUser());
  };
  if (none_of(i.uses(), stays)) return;
  IRBuilder<> b(isa<PHINode>(i) ? &*i.getParent()->getFirstInsertionPt() : &i);  // what it extends stands there
  Value* wide = b.CreateSExt(narrow_.lookup(&i), i.getType());
  i.replaceUsesWithIf(wide, [&](Use& use) { return use.getUser() != wide && stays(use); });
}

// Extended numbers are in the order of those that they were, signed or not.
void NarrowIndices::replace(ICmpInst& question) {
  IRBuilder<> b(&question);
  Value *left = narrow(question.getOperand(0)), *right = narrow(question.getOperand(1));
  question.replaceAllUsesWith(b.CreateICmp(question.getPredicate(), left, right));
  replaced_.push_back(&question);
}

void NarrowIndices::run(Require require) {
  join_addresses();
  for (Instruction& i : instructions(kernel_))
    if (auto* address = dyn_cast<GetElementPtrInst>(&i))
      for (Value* index : address->indices()) find(index);
  find_questions();
  drop_unknown();
  if (!gains() || !ask(require)) return;
  for (Value* value : found_) narrow(value);
  for (ICmpInst* question : questions_) replace(*question);
  for (Value* value : found_)
    if (!is_leaf(value)) extend(*cast<Instruction>(value));
  for (Value* value : found_)
    if (!is_leaf(value)) replaced_.push_back(cast<Instruction>(value));
}

void NarrowIndices::erase() {
  for (Instruction* i : replaced_) i->dropAllReferences();
  for (Instruction* i : replaced_) i->eraseFromParent();
}

}  // namespace lanza::compiler
