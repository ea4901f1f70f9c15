#include "compiler/passes/vector/lanes/split_masks.hpp"

#include <map>

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/lanes/masked_stores.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

using Parts = SmallVector<Value*, 4>;

bool is_mask(const Type* type) { return isa<FixedVectorType>(type) && type->getScalarType()->isIntegerTy(1); }

unsigned lanes_of(const Value& value) { return cast<FixedVectorType>(value.getType())->getNumElements(); }

/// The operands of llvm.masked.*.
struct MaskedAccess {
  unsigned value, address, align, mask;
};

std::optional<MaskedAccess> as_masked_access(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!call) return {};
  switch (call->getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      return MaskedAccess{.value = 3, .address = 0, .align = 1, .mask = 2};
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return MaskedAccess{.value = 0, .address = 1, .align = 2, .mask = 3};
    default:
      return {};
  }
}

unsigned element_bits(const Value& value) {
  const Type* type = value.getType()->getScalarType();
  return type->isPointerTy() ? 64 : type->getScalarSizeInBits();
}

// Bits of the words that the instruction makes a mask from, or does something to by one; 0: it says nothing.
unsigned word_bits(const Instruction& i) {
  if (isa<CmpInst>(i)) return element_bits(*i.getOperand(0));
  if (auto access = as_masked_access(i)) return element_bits(*i.getOperand(access->value));
  if (isa<SelectInst, SExtInst, ZExtInst>(i) && !is_mask(i.getType())) return element_bits(i);
  return 0;
}

// How much more often the code of a loop runs than what is around it.
constexpr unsigned kTurns = 8, kDeepest = 6;

/// For each mask the lanes of its parts: those of a register of the words that most of its kin have to do with, as
/// often as they run.
class PartSizes {
 public:
  PartSizes(Function& run, unsigned register_bits) : register_bits_(register_bits) {
    for (Instruction& i : instructions(run))
      if (is_mask(i.getType()))
        for (const Value* operand : i.operand_values())
          if (operand->getType() == i.getType() && !isa<Constant>(operand)) kin_.unionSets(&i, operand);
    const DominatorTree dominators(run);
    const LoopInfo loops(dominators);
    for (BasicBlock& block : run) {
      uint64_t times = 1;
      for (unsigned depth = std::min(loops.getLoopDepth(&block), kDeepest); depth > 0; --depth) times *= kTurns;
      for (Instruction& i : block) vote(i, times);
    }
  }

  unsigned of(const Value& mask) const {
    auto votes = votes_.find(eldest(mask));
    if (votes == votes_.end()) return lanes_of(mask);
    uint64_t most = 0;
    unsigned bits = register_bits_;
    for (auto [width, count] : votes->second)
      if (count >= most) most = count, bits = width;
    return std::min(register_bits_ / bits, lanes_of(mask));
  }

 private:
  const Value* eldest(const Value& mask) const {
    auto kin = kin_.findLeader(&mask);
    return kin == kin_.member_end() ? &mask : *kin;
  }

  void vote(const Instruction& i, uint64_t times) {
    const unsigned bits = word_bits(i);
    if (bits < 8 || bits > 64 || !isPowerOf2_32(bits)) return;
    if (is_mask(i.getType())) votes_[eldest(i)][bits] += times;
    for (const Value* operand : i.operand_values())  // masks of words are packed for bytes best all at once
      if (is_mask(operand->getType())) votes_[eldest(*operand)][bits] += 2 * times;
  }

  const unsigned register_bits_;
  EquivalenceClasses<const Value*> kin_;
  DenseMap<const Value*, std::map<unsigned, uint64_t>> votes_;
};

// Whether the instruction makes each lane's bit of its operands' lanes.
bool goes_by_lanes(const Instruction& mask) {
  return isa<CmpInst, TruncInst, BinaryOperator, PHINode, SelectInst, FreezeInst>(mask);
}

bool is_of_bits(const Instruction& mask) {
  return isa<BitCastInst>(mask) && mask.getOperand(0)->getType()->isIntegerTy();
}

Value* part(IRBuilder<>& b, Value* value, unsigned from, unsigned lanes) {
  if (!isa<VectorType>(value->getType())) return value;
  if (Value* splat = getSplatValue(value)) return b.CreateVectorSplat(lanes, splat);
  return b.CreateShuffleVector(value, createSequentialMask(from, lanes, 0));
}

class MaskSplitter {
 public:
  MaskSplitter(Function& run, unsigned register_bits) : run_(run), sizes_(run, register_bits) {}

  bool run() {
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&run_))
      for (Instruction& i : *block)
        if (is_mask(i.getType()) && (goes_by_lanes(i) || is_of_bits(i)) && sizes_.of(i) < lanes_of(i))
          wide_.push_back(&i);
    for (Instruction* mask : wide_) split(*mask);
    for (Instruction* mask : wide_)
      if (auto* phi = dyn_cast<PHINode>(mask)) fill(*phi);
    for (Instruction* mask : wide_)
      for (User* user : SmallVector<User*, 8>(mask->users())) use_parts(cast<Instruction>(*user), *mask);
    for (Instruction* mask : wide_) join_for_others(*mask);
    for (Instruction* mask : wide_) mask->replaceAllUsesWith(PoisonValue::get(mask->getType()));
    for (Instruction* mask : wide_) mask->eraseFromParent();
    return !wide_.empty();
  }

 private:
  Type* part_type(const Instruction& mask) const {
    return FixedVectorType::get(mask.getType()->getScalarType(), sizes_.of(mask));
  }

  // Part `k` of an operand of a mask whose parts have so many lanes.
  Value* part_of(IRBuilder<>& b, Value* operand, unsigned k, unsigned lanes) const {
    auto known = parts_.find(operand);
    return known != parts_.end() ? known->second[k] : part(b, operand, k * lanes, lanes);
  }

  void split(Instruction& mask) {
    const unsigned lanes = sizes_.of(mask);
    IRBuilder<> b(&mask);
    Parts parts;
    for (unsigned k = 0; k < lanes_of(mask) / lanes; ++k) {
      if (auto* phi = dyn_cast<PHINode>(&mask)) {
        parts.push_back(b.CreatePHI(part_type(mask), phi->getNumIncomingValues()));
      } else if (is_of_bits(mask)) {
        Value* bits = b.CreateTrunc(b.CreateLShr(mask.getOperand(0), uint64_t{k} * lanes), b.getIntNTy(lanes));
        parts.push_back(b.CreateBitCast(bits, part_type(mask)));
      } else {
        Instruction* copy = mask.clone();
        for (Use& operand : copy->operands()) operand.set(part_of(b, operand, k, lanes));
        copy->mutateType(part_type(mask));
        parts.push_back(b.Insert(copy));
      }
    }
    parts_[&mask] = std::move(parts);
  }

  void fill(PHINode& phi) {
    const Parts& parts = parts_[&phi];
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
      IRBuilder<> b(phi.getIncomingBlock(n)->getTerminator());
      for (unsigned k = 0; k < parts.size(); ++k)
        cast<PHINode>(parts[k])->addIncoming(part_of(b, phi.getIncomingValue(n), k, sizes_.of(phi)),
                                             phi.getIncomingBlock(n));
    }
  }

  void use_parts(Instruction& user, const Instruction& mask) {
    IRBuilder<> b(&user);
    Value* result = nullptr;
    const auto access = as_masked_access(user);
    if (isa<SelectInst>(user) && user.getOperand(0) == &mask && !is_mask(user.getType())) {
      result = each(b, mask, [&](Value* bits, unsigned from, unsigned lanes) {
        return b.CreateSelect(bits, part(b, user.getOperand(1), from, lanes), part(b, user.getOperand(2), from, lanes));
      });
    } else if (isa<SExtInst, ZExtInst, SIToFPInst, UIToFPInst>(user)) {
      result = each(b, mask, [&](Value* bits, unsigned, unsigned lanes) {
        return b.CreateCast(cast<CastInst>(user).getOpcode(), bits,
                            FixedVectorType::get(user.getType()->getScalarType(), lanes));
      });
    } else if (isa<BitCastInst>(user) && user.getType()->isIntegerTy()) {
      ask_parts(user, mask);
      if (!user.use_empty()) result = join_bits(b, mask, user.getType());
    } else if (access && user.getOperand(access->mask) == &mask) {
      result = split_access(b, cast<IntrinsicInst>(user), *access, mask);
    } else {
      return;
    }
    if (result) user.replaceAllUsesWith(result);
    user.eraseFromParent();
  }

  template <class Make>
  Value* each(IRBuilder<>& b, const Instruction& mask, Make make) const {
    Parts results;
    const unsigned lanes = sizes_.of(mask);
    for (Value* bits : parts_.at(&mask)) results.push_back(make(bits, results.size() * lanes, lanes));
    return isa<VectorType>(results.back()->getType()) ? concatenateVectors(b, results) : nullptr;
  }

  // Whether any bit is set, or all are.
  void ask_parts(Instruction& bits, const Instruction& mask) const {
    for (User* user : make_early_inc_range(bits.users())) {
      auto* question = dyn_cast<ICmpInst>(user);
      if (!question || !question->isEquality()) continue;
      const bool any = match(question->getOperand(1), m_Zero());
      if (!any && !match(question->getOperand(1), m_AllOnes())) continue;
      IRBuilder<> b(&bits);
      Value* joined = nullptr;
      for (Value* part : parts_.at(&mask))
        joined = !joined ? part : any ? b.CreateOr(joined, part) : b.CreateAnd(joined, part);
      Type* number = b.getIntNTy(sizes_.of(mask));
      Constant* with = any ? Constant::getNullValue(number) : Constant::getAllOnesValue(number);
      joined = b.CreateBitCast(joined, number);
      b.SetInsertPoint(question);
      question->replaceAllUsesWith(b.CreateICmp(question->getPredicate(), joined, with));
      question->eraseFromParent();
    }
  }

  Value* join_bits(IRBuilder<>& b, const Instruction& mask, Type* type) const {
    const unsigned lanes = sizes_.of(mask);
    Value* result = nullptr;
    unsigned from = 0;
    for (Value* part : parts_.at(&mask)) {
      Value* bits = b.CreateShl(b.CreateZExt(b.CreateBitCast(part, b.getIntNTy(lanes)), type), from);
      result = result ? b.CreateOr(result, bits) : bits;
      from += lanes;
    }
    return result;
  }

  Value* split_access(IRBuilder<>& b, IntrinsicInst& access, const MaskedAccess& at, const Instruction& mask) const {
    Value *value = access.getArgOperand(at.value), *address = access.getArgOperand(at.address);
    const bool is_one_address = !isa<VectorType>(address->getType());
    const uint64_t size = run_.getDataLayout().getTypeAllocSize(value->getType()->getScalarType());
    const Align align = cast<ConstantInt>(access.getArgOperand(at.align))->getAlignValue();
    return each(b, mask, [&](Value* bits, unsigned from, unsigned lanes) -> Value* {
      Value* elements = part(b, value, from, lanes);
      Value* place = !is_one_address ? part(b, address, from, lanes)
                     : from == 0     ? address
                                     : b.CreateConstGEP1_64(b.getInt8Ty(), address, from * size);
      const Align aligned = is_one_address ? commonAlignment(align, from * size) : align;
      CallInst* piece = access.getIntrinsicID() == Intrinsic::masked_load
                            ? b.CreateMaskedLoad(elements->getType(), place, aligned, bits, elements)
                        : access.getIntrinsicID() == Intrinsic::masked_gather
                            ? b.CreateMaskedGather(elements->getType(), place, aligned, bits, elements)
                        : access.getIntrinsicID() == Intrinsic::masked_store
                            ? b.CreateMaskedStore(elements, place, aligned, bits)
                            : b.CreateMaskedScatter(elements, place, aligned, bits);
      piece->copyMetadata(access);
      return piece;
    });
  }

  // What takes the mask as a whole, a shuffle for one.
  void join_for_others(Instruction& mask) {
    auto is_other = [&](const Use& use) { return !parts_.contains(use.getUser()); };
    if (none_of(mask.uses(), is_other)) return;
    IRBuilder<> b(mask.getContext());
    if (isa<PHINode>(mask))
      b.SetInsertPoint(mask.getParent(), mask.getParent()->getFirstInsertionPt());
    else
      b.SetInsertPoint(&mask);
    b.SetCurrentDebugLocation(mask.getDebugLoc());
    mask.replaceUsesWithIf(concatenateVectors(b, parts_[&mask]), is_other);
  }

  Function& run_;
  const PartSizes sizes_;
  SmallVector<Instruction*, 32> wide_;
  DenseMap<const Value*, Parts> parts_;
};

/// Masks that go from block to block, and what is made of them there, as words of which all bits are the lane's.
class MaskSpreader {
 public:
  MaskSpreader(Function& run, unsigned register_bits) : run_(run), register_bits_(register_bits) {}

  bool run() {
    SmallVector<Instruction*, 16> masks;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&run_))
      for (Instruction& i : *block)
        if (is_mask(i.getType()) && has_word(i)) masks.push_back(&i);
    erase_if(masks, [&](Instruction* mask) { return !wants_words(*mask); });
    for (Instruction* mask : masks)
      if (auto* phi = dyn_cast<PHINode>(mask)) fill(*phi);
    for (Instruction* mask : masks) words(mask);
    for (Instruction* mask : masks) use_words(*mask);
    const bool changed = !masks.empty();
    erase_if(masks, [](const Instruction* mask) { return !goes(*mask); });
    for (Instruction* mask : masks) mask->replaceAllUsesWith(PoisonValue::get(mask->getType()));
    for (Instruction* mask : masks) mask->eraseFromParent();
    return changed;
  }

 private:
  bool has_word(const Instruction& mask) const {
    const unsigned bits = register_bits_ / lanes_of(mask);
    return isPowerOf2_32(lanes_of(mask)) && bits >= 8 && bits <= 64;
  }

  Type* word_type(const Value& mask) const {
    return FixedVectorType::get(IntegerType::get(mask.getContext(), register_bits_ / lanes_of(mask)), lanes_of(mask));
  }

  // A choice by a scalar would be a branch, as there is no such move of vectors.
  static bool is_chosen_by_scalar(const Instruction& mask) {
    return isa<SelectInst>(mask) && !is_mask(mask.getOperand(0)->getType());
  }

  bool wants_words(Instruction& mask) {
    const bool is_made_of_words =
        isa<BinaryOperator, SelectInst, FreezeInst>(mask) &&
        any_of(mask.operands(), [&](const Use& operand) { return wanting_.contains(operand); });
    auto is_elsewhere = [&](const User* user) { return cast<Instruction>(user)->getParent() != mask.getParent(); };
    if (!isa<PHINode>(mask) && !is_made_of_words && !is_chosen_by_scalar(mask) && none_of(mask.users(), is_elsewhere))
      return false;
    wanting_.insert(&mask);
    if (auto* phi = dyn_cast<PHINode>(&mask)) {
      IRBuilder<> b(phi);
      words_[phi] = b.CreatePHI(word_type(*phi), phi->getNumIncomingValues());
    }
    return true;
  }

  Value* words(Value* mask) {
    if (auto* number = dyn_cast<Constant>(mask))
      return IRBuilder<>(mask->getContext()).CreateSExt(number, word_type(*mask));
    if (Value* known = words_.lookup(mask)) return known;
    return words_[mask] = make_words(cast<Instruction>(*mask));
  }

  Value* make_words(Instruction& mask) {
    IRBuilder<> b(&*behind(mask));
    if (isa<BinaryOperator, SelectInst, FreezeInst>(mask)) {
      SmallVector<Value*, 3> of;
      for (Value* operand : mask.operand_values()) of.push_back(is_mask(operand->getType()) ? words(operand) : operand);
      b.SetInsertPoint(&*behind(mask));
      if (auto* logic = dyn_cast<BinaryOperator>(&mask)) return b.CreateBinOp(logic->getOpcode(), of[0], of[1]);
      if (isa<FreezeInst>(mask)) return b.CreateFreeze(of[0]);
      if (!is_chosen_by_scalar(mask)) return b.CreateSelect(mask.getOperand(0), of[1], of[2]);
      return choose(b, of[0], of[1], of[2]);
    }
    if (Value* splat = getSplatValue(&mask)) {
      Type* word = word_type(mask)->getScalarType();
      return b.CreateVectorSplat(lanes_of(mask), b.CreateSExt(splat, word));
    }
    return b.CreateSExt(&mask, word_type(mask));
  }

  Value* choose(IRBuilder<>& b, Value* bit, Value* if_so, Value* if_not) const {
    Value* all = b.CreateVectorSplat(lanes_of(*if_so), b.CreateSExt(bit, if_so->getType()->getScalarType()));
    if (match(if_not, m_Zero())) return b.CreateAnd(all, if_so);
    if (match(if_so, m_AllOnes())) return b.CreateOr(all, if_not);
    return b.CreateOr(b.CreateAnd(all, if_so), b.CreateAnd(b.CreateNot(all), if_not));
  }

  void fill(PHINode& phi) {
    auto* wide = cast<PHINode>(words_[&phi]);
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n)
      wide->addIncoming(words(phi.getIncomingValue(n)), phi.getIncomingBlock(n));
  }

  static BasicBlock::iterator behind(Instruction& i) {
    return isa<PHINode>(i) ? i.getParent()->getFirstInsertionPt() : std::next(i.getIterator());
  }

  // Made of other masks, or of one bit: it goes when its words are there.
  static bool goes(const Instruction& mask) {
    return isa<PHINode, BinaryOperator, SelectInst, FreezeInst>(mask) || getSplatValue(&mask);
  }

  void use_words(Instruction& mask) {
    Value* wide = words(&mask);
    auto* last = dyn_cast<Instruction>(wide);
    if (!last || last->getParent() != mask.getParent()) last = &mask;
    DenseMap<const BasicBlock*, Value*> bits;
    for (Use& use : make_early_inc_range(mask.uses())) {
      auto* user = cast<Instruction>(use.getUser());
      BasicBlock* block = user->getParent();
      const bool is_here = block == mask.getParent();
      if ((wanting_.contains(user) && goes(*user)) || (is_here && !goes(mask))) continue;
      Value*& known = bits[block];
      if (!known) known = IRBuilder<>(&*(is_here ? behind(*last) : block->getFirstInsertionPt())).CreateIsNeg(wide);
      use.set(known);
    }
  }

  Function& run_;
  const unsigned register_bits_;
  DenseSet<const Value*> wanting_;
  DenseMap<const Value*, Value*> words_;
};

// A mask that waits in memory is loaded as a number: of conditions LLVM would take one bit after the other.
bool load_as_numbers(Function& run) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    auto* load = dyn_cast<LoadInst>(&i);
    if (!load || !load->isSimple() || !is_mask(load->getType())) continue;
    const unsigned lanes = lanes_of(*load);
    if (!isPowerOf2_32(lanes) || lanes < 8 || lanes > 32) continue;
    IRBuilder<> b(load);
    LoadInst* bits = b.CreateAlignedLoad(b.getIntNTy(lanes), load->getPointerOperand(), load->getAlign());
    bits->copyMetadata(*load, {LLVMContext::MD_dbg, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    SmallVector<Constant*, 32> each;
    for (unsigned lane = 0; lane < lanes; ++lane) each.push_back(b.getInt32(1U << lane));
    Value* all = b.CreateVectorSplat(lanes, b.CreateZExt(bits, b.getInt32Ty()));
    load->replaceAllUsesWith(b.CreateIsNotNull(b.CreateAnd(all, ConstantVector::get(each))));
    load->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace

bool split_masks(Function& run, const TargetTransformInfo& host) {
  if (has_native_masks(host)) return false;
  const auto bits = host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  bool changed = load_as_numbers(run);
  changed |= MaskSplitter(run, bits).run();
  return MaskSpreader(run, bits).run() || changed;
}

}  // namespace lanza::compiler
