#include "compiler/passes/vector/lanes/near_gathers.hpp"

#include <array>
#include <map>
#include <tuple>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/lanes/gather_roots.hpp"
#include "compiler/passes/vector/lanes/loop_gathers.hpp"
#include "compiler/passes/vector/lanes/near_lanes.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostGathers = 64;    // of a kernel
constexpr unsigned kMostAlone = 16;      // of these, each with its own question
constexpr unsigned kMostQuestions = 16;  // of a kernel
constexpr unsigned kMostTogether = 8;    // whose results wait in registers
constexpr unsigned kMostSteps = 64;      // to what a gather needs in front of it
constexpr unsigned kFarthest = 64;       // elements: no window is longer
constexpr unsigned kWords = 8;           // of a register of AVX2

class NearGather {
 public:
  NearGather(IntrinsicInst& gather, const TargetMachine& host)
      : gather_(&gather),
        host_(&host),
        type_(cast<FixedVectorType>(gather.getType())),
        lanes_(type_->getNumElements()),
        size_(type_->getScalarSizeInBits() / 8),
        is_whole_(match(gather.getArgOperand(2), m_AllOnes())),
        in_parts_(size_ == 4 && has("+avx2") && !has("+avx512f")) {
    const Address address = address_of();
    if (!address.lanes || !address.shared || !is_computed(address.lanes)) return;
    if (go_back(address.lanes, lanes_)) return;
    root_ = root_of(address.lanes);
    if (!has("+avx512f") || !has_quotients(root_)) return;
    in_parts_ = size_ == 8;
    fills_ = !is_whole_ && can_permute();
  }

  IntrinsicInst& gather() const { return *gather_; }

  /// Whether one question may be asked about both, whose lanes come from the same. Loads of single lanes in its place,
  /// on other hosts, would all wait in registers.
  bool is_like(const NearGather& other) const {
    return root_ && root_ == other.root_ && mask() == other.mask() && lanes_ == other.lanes_ && size_ == other.size_ &&
           !is_alone();
  }
  bool is_alone() const { return !has_all() || !can_permute(); }

  /// Whether their places are quotients or were cut off.
  bool is_dense() const {
    if (!root_ || !is_whole_ || !can_permute()) return false;
    Value *place = root_, *a, *c;
    while (match(place, m_Select(m_Value(), m_Value(a), m_Value(c))) && (isa<Constant>(a) || isa<Constant>(c)))
      place = isa<Constant>(a) ? c : a;
    return isa<FPToSIInst, FPToUIInst>(place) ||
           match(place, m_CombineOr(m_IDiv(m_Value(), m_Value()), m_Shr(m_Value(), m_Value())));
  }

  /// Whether its lanes are near; null: nobody asks. Of `known` lanes that was asked before, where it still holds.
  Value* ask(IRBuilder<>& b, KnownLanes& known) {
    place_ = find_place(b, known);
    if (!place_.first) return nullptr;
    by_window_ = has_all() && place_.unit == 1 && can_permute();
    Lanes& lanes = *place_.lanes;
    if (by_window_ && !in_parts_ && !lanes.last) lanes.last = b.CreateExtractElement(lanes.distances, lanes_ - 1);
    if (!lanes.are_near)
      lanes.are_near = !by_window_ ? are_neighbours(b, lanes)
                       : in_parts_ ? parts_lie_between(b, lanes)
                                   : lie_between(b, lanes);
    Value* near = place_.is_exact ? b.CreateAnd(lanes.are_near, place_.is_exact) : lanes.are_near;
    return fills_ ? b.CreateAnd(near, b.CreateExtractElement(mask(), uint64_t{0})) : near;
  }

  /// Behind ask(), where that was true.
  Value* load(IRBuilder<>& b) const {
    if (!by_window_) return neighbours(b);
    Value* all = in_parts_ ? windows_of_parts(b, 2) : window(b);
    return fills_ ? b.CreateSelect(mask(), all, gather_->getArgOperand(3)) : all;
  }

  /// The same, of parts of which each lies in one register; null: there are none.
  Value* ask_for_one(IRBuilder<>& b) const {
    if (!by_window_ || !in_parts_ || size_ == 8) return nullptr;
    Value* furthest = nullptr;
    for (const Lanes::Part& part : place_.lanes->parts)
      furthest = furthest ? b.CreateBinaryIntrinsic(Intrinsic::umax, furthest, part.last) : part.last;
    return b.CreateICmpULT(furthest, b.getInt32(kWords));
  }
  Value* load_one(IRBuilder<>& b) const { return windows_of_parts(b, 1); }
  void forget_touched() const { place_.lanes->forget_touched(); }

 private:
  /// Each lane's own, and what they share.
  struct Address {
    Value *lanes = nullptr, *shared = nullptr;
    Type* element = nullptr;
    Value* further = nullptr;  ///< of pointers with indices of `lanes`: so many elements behind
  };

  // A row of an array, `tile[row][i]`, is the same for all lanes.
  static bool has_one_index(const GetElementPtrInst& address) {
    if (address.getNumIndices() == 1) return true;
    auto is_shared = [](const Value* index) { return !index->getType()->isVectorTy(); };
    return !address.getPointerOperandType()->isVectorTy() && all_of(drop_end(address.indices()), is_shared);
  }

  // The address with an index of its own.
  Value* with_index(IRBuilder<>& b, Value* index) const {
    auto* address = cast<GetElementPtrInst>(gather_->getArgOperand(0));
    SmallVector<Value*, 4> indices(address->indices());
    indices.back() = index;
    return b.CreateGEP(address->getSourceElementType(), address->getPointerOperand(), indices);
  }

  Address address_of() const {
    auto* address = dyn_cast<GetElementPtrInst>(gather_->getArgOperand(0));
    if (!address || !has_one_index(*address)) return {};
    Type* element = address->getResultElementType();
    Value *base = address->getPointerOperand(), *index = *std::prev(address->idx_end());
    auto counts_elements = [&](Type* type) { return gather_->getDataLayout().getTypeAllocSize(type) == size_; };
    if (base->getType()->isVectorTy()) {
      Value* shared = index->getType()->isVectorTy() ? getSplatValue(index) : index;
      auto* inner = dyn_cast<GetElementPtrInst>(base);  // of `x[i]` and `x[i + 1]`: the indices are the same
      if (shared && inner && inner->getNumIndices() == 1 && counts_elements(inner->getSourceElementType()) &&
          !inner->getPointerOperandType()->isVectorTy())
        return {inner->getOperand(1), inner->getPointerOperand(), element, shared};
      return {base, shared, element};
    }
    if (!counts_elements(element)) return {};
    return {index, base, element};
  }

  // What all lanes add is left out: then one comparison may stand for several gathers, and in front of a loop.
  Place find_place(IRBuilder<>& b, KnownLanes& known) const {
    if (!root_) return {};
    const Address address = address_of();
    return address.lanes->getType()->isPtrOrPtrVectorTy() ? pointers(b, address, known) : indices(b, address, known);
  }

  Place pointers(IRBuilder<>& b, const Address& address, KnownLanes& known) const {
    Lanes& lanes = known[{address.lanes, size_, mask()}];
    const bool by_elements = has_all() && can_permute() && size_ > 1;
    if (!lanes.first) {
      Value* base = filled(b, b.CreateFreeze(address.lanes));
      lanes.first = b.CreateExtractElement(base, uint64_t{0});
      Type* numbers = VectorType::get(b.getInt64Ty(), type_->getElementCount());
      Value* from = b.CreatePtrToInt(lanes.first, b.getInt64Ty());
      lanes.distances = b.CreateSub(b.CreatePtrToInt(base, numbers), splat(b, from));
      if (by_elements) {  // what lies in between two of them is far from both
        Value* bits = ConstantInt::get(numbers, Log2_64(size_));
        lanes.distances = b.CreateIntrinsic(Intrinsic::fshr, {numbers}, {lanes.distances, lanes.distances, bits});
      }
    }
    return {b.CreateGEP(address.element, lanes.first, address.shared), &lanes, nullptr, by_elements ? 1 : size_};
  }

  // Of 32 bits, extended: the distance of lanes is right where the index of the first is not near its end.
  Place indices(IRBuilder<>& b, const Address& address, KnownLanes& known) const {
    Value *index = address.lanes, *narrow = nullptr;
    const bool is_signed = isa<SExtInst>(index);
    if (!match(index, m_ZExtOrSExt(m_Value(narrow))) || narrow->getType()->getScalarSizeInBits() != 32) narrow = index;
    Value *moving = narrow, *shared = nullptr;
    for (SharedTerm term = shared_term(moving); term.all; term = shared_term(moving)) {
      Value* each = getSplatValue(term.all);
      if (!each) each = b.CreateExtractElement(term.all, uint64_t{0});  // a sum of such
      if (term.is_taken_off) each = b.CreateNeg(each);
      shared = shared ? b.CreateAdd(shared, each) : each;
      moving = term.lanes;
    }
    if (isa<Constant>(moving)) return {};  // known before
    Lanes& lanes = known[{moving, size_, mask()}];
    if (!lanes.first) {
      moving = filled(b, b.CreateFreeze(moving));  // idle lanes may hold anything
      lanes.first = b.CreateExtractElement(moving, uint64_t{0});
      lanes.distances = b.CreateSub(moving, splat(b, lanes.first));
    }
    Value* first = shared ? b.CreateAdd(shared, lanes.first) : lanes.first;
    Place place{nullptr, &lanes, nullptr, 1};
    if (narrow != index) {
      first = b.CreateFreeze(first);
      const APInt end = (is_signed ? APInt::getSignedMaxValue(32) : APInt::getMaxValue(32)) - kFarthest;
      Constant* most = ConstantInt::get(first->getType(), end);
      place.is_exact = is_signed ? b.CreateICmpSLT(first, most) : b.CreateICmpULT(first, most);
      first = is_signed ? b.CreateSExt(first, b.getInt64Ty()) : b.CreateZExt(first, b.getInt64Ty());
    }
    if (!address.further)
      place.first = with_index(b, first);
    else
      place.first =
          b.CreateGEP(address.element, b.CreateGEP(type_->getElementType(), address.shared, first), address.further);
    return place;
  }

  Value* mask() const { return is_whole_ ? nullptr : gather_->getArgOperand(2); }
  bool has_all() const { return is_whole_ || fills_; }

  // Lanes that are off go where the last one does that is on; that the first one is on is asked.
  Value* filled(IRBuilder<>& b, Value* lanes) const {
    if (!fills_) return lanes;
    Type* bits = b.getIntNTy(lanes_);
    Value* off = b.CreateBinaryIntrinsic(Intrinsic::ctlz, b.CreateBitCast(b.CreateFreeze(mask()), bits), b.getFalse());
    Value* last = b.CreateAnd(b.CreateSub(ConstantInt::get(bits, lanes_ - 1), off), lanes_ - 1);
    return b.CreateSelect(mask(), lanes, splat(b, b.CreateExtractElement(lanes, last)));
  }

  Value* splat(IRBuilder<>& b, Value* v) const { return b.CreateVectorSplat(type_->getElementCount(), v); }

  Value* are_neighbours(IRBuilder<>& b, const Lanes& lanes) const {
    SmallVector<Constant*, 64> steps;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      steps.push_back(ConstantInt::get(lanes.distances->getType()->getScalarType(), lane * place_.unit));
    return all(b, b.CreateICmpEQ(lanes.distances, ConstantVector::get(steps)));
  }

  Value* lie_between(IRBuilder<>& b, const Lanes& lanes) const {
    const unsigned most = size_ < 4 ? 64 / size_ : 2 * lanes_;
    Value* near = b.CreateICmpULT(lanes.last, ConstantInt::get(lanes.last->getType(), most));
    return b.CreateAnd(near, all(b, b.CreateICmpULE(lanes.distances, splat(b, lanes.last))));
  }

  Value* all(IRBuilder<>& b, Value* lanes) const {
    Type* bits = b.getIntNTy(lanes_);
    return b.CreateICmpEQ(b.CreateBitCast(lanes, bits), Constant::getAllOnesValue(bits));
  }

  Value* neighbours(IRBuilder<>& b) const {
    const Align align(cast<ConstantInt>(gather_->getArgOperand(1))->getZExtValue());
    if (is_whole_) return b.CreateAlignedLoad(type_, place_.first, align);
    return b.CreateMaskedLoad(type_, place_.first, align, gather_->getArgOperand(2), gather_->getArgOperand(3));
  }

  bool has(const char* feature) const { return has_features(*host_, feature); }
  bool can_permute() const {
    if (size_ == 1) return lanes_ <= 64 && lanes_ >= 16 && has("+avx512vbmi");
    if (size_ == 2) return lanes_ <= 32 && lanes_ >= 16 && has("+avx512bw");
    if (in_parts_) return lanes_ % kWords == 0;
    return size_ == 4 && lanes_ == 16 && has("+avx512f");
  }

  // Each part's lanes between its own first and last one, in two registers.
  Value* parts_lie_between(IRBuilder<>& b, Lanes& lanes) const {
    Value *near = nullptr, *is_short = nullptr;
    auto* words = FixedVectorType::get(b.getIntNTy(size_ * 8), kWords);
    auto is_below = [&](Value* distance, unsigned most) {
      Value* below = b.CreateICmpULT(distance, ConstantInt::get(distance->getType(), most));
      is_short = is_short ? b.CreateAnd(is_short, below) : below;
    };
    for (unsigned from = 0; from < lanes_; from += kWords) {
      Lanes::Part part;
      part.first = b.CreateExtractElement(lanes.distances, uint64_t{from});
      if (from) is_below(part.first, kFarthest - 2 * kWords);
      Value* distances = b.CreateShuffleVector(lanes.distances, createSequentialMask(from, kWords, 0));
      if (from) distances = b.CreateSub(distances, b.CreateVectorSplat(kWords, part.first));
      Value* last = b.CreateExtractElement(distances, uint64_t{kWords - 1});
      is_below(last, 2 * kWords);
      Value* between = b.CreateICmpULE(distances, b.CreateVectorSplat(kWords, last));
      near = near ? b.CreateAnd(near, between) : between;
      part.last = b.CreateZExtOrTrunc(last, words->getElementType());
      part.order = b.CreateZExtOrTrunc(distances, words);
      lanes.parts.push_back(part);
    }
    Type* bits = b.getIntNTy(kWords);
    return b.CreateAnd(is_short, b.CreateICmpEQ(b.CreateBitCast(near, bits), Constant::getAllOnesValue(bits)));
  }

  Value* windows_of_parts(IRBuilder<>& b, unsigned windows) const {
    SmallVector<Value*, 2> parts;
    for (Lanes::Part& part : place_.lanes->parts) {
      const bool is_first = &part == place_.lanes->parts.begin();
      Value* first = is_first ? place_.first : b.CreateGEP(type_->getElementType(), place_.first, part.first);
      Value *low = window_of_part(b, part, first, 0),
            *high = windows == 2 ? window_of_part(b, part, first, 1) : nullptr;
      parts.push_back(permuted(b, low, part.order, high));
    }
    return b.CreateBitCast(concatenateVectors(b, parts), type_);
  }

  Value* window_of_part(IRBuilder<>& b, Lanes::Part& part, Value* first, unsigned half) const {
    auto* words = cast<FixedVectorType>(part.order->getType());
    if (!part.touched[half]) {
      SmallVector<Constant*, kWords> numbers;
      for (unsigned k = 0; k < kWords; ++k)
        numbers.push_back(ConstantInt::get(words->getElementType(), half * kWords + k));
      part.touched[half] = b.CreateICmpSLE(ConstantVector::get(numbers), b.CreateVectorSplat(kWords, part.last));
    }
    Value* from = b.CreateConstGEP1_64(words->getElementType(), first, uint64_t{half} * kWords);
    return b.CreateMaskedLoad(words, from, Align(size_), part.touched[half], Constant::getNullValue(words));
  }

  Value* permuted(IRBuilder<>& b, Value* low, Value* order, Value* high) const {
    if (size_ == 8) return b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_q_512, {}, {low, order, high});
    Value* of_low = b.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {low, order});
    if (!high) return of_low;
    Value* is_second = b.CreateICmpSGT(order, ConstantInt::get(order->getType(), kWords - 1));
    return b.CreateSelect(is_second, b.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {high, order}), of_low);
  }

  // Elements behind the last lane's are 0, and not touched.
  Value* window(IRBuilder<>& b) const {
    Lanes& lanes = *place_.lanes;
    if (!lanes.touched)
      lanes.touched = b.CreateNot(b.CreateShl(b.getInt64(-2), b.CreateZExtOrTrunc(lanes.last, b.getInt64Ty())));
    if (size_ < 4) return window_of_one(b, lanes);
    auto* words = FixedVectorType::get(b.getInt32Ty(), 16);
    auto load = [&](uint64_t half) {
      Value* mask = b.CreateBitCast(b.CreateTrunc(b.CreateLShr(lanes.touched, half * 16), b.getInt16Ty()),
                                    FixedVectorType::get(b.getInt1Ty(), 16));
      Value* from = b.CreateConstGEP1_64(b.getInt32Ty(), place_.first, half * 16);
      return b.CreateMaskedLoad(words, from, Align(size_), mask, Constant::getNullValue(words));
    };
    Value* order = b.CreateTrunc(lanes.distances, words);
    Value* permuted = b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {}, {load(0), order, load(1)});
    return b.CreateBitCast(permuted, type_);
  }

  // Of bytes and shorts one register.
  Value* window_of_one(IRBuilder<>& b, const Lanes& lanes) const {
    const unsigned all = 64 / size_;
    Type* part = b.getIntNTy(size_ * 8);
    auto* parts = FixedVectorType::get(part, all);
    Value* mask =
        b.CreateBitCast(b.CreateTrunc(lanes.touched, b.getIntNTy(all)), FixedVectorType::get(b.getInt1Ty(), all));
    Value* from = b.CreateMaskedLoad(parts, place_.first, Align(size_), mask, Constant::getNullValue(parts));
    Value* order = extended(b, b.CreateTrunc(lanes.distances, FixedVectorType::get(part, lanes_)), all);
    Value* permuted = b.CreateIntrinsic(
        size_ == 1 ? Intrinsic::x86_avx512_permvar_qi_512 : Intrinsic::x86_avx512_permvar_hi_512, {}, {from, order});
    return b.CreateBitCast(b.CreateShuffleVector(permuted, createSequentialMask(0, lanes_, 0)), type_);
  }

  Value* extended(IRBuilder<>& b, Value* v, unsigned lanes) const {
    return lanes == lanes_ ? v : b.CreateShuffleVector(v, createSequentialMask(0, lanes_, lanes - lanes_));
  }

  IntrinsicInst* gather_;
  const TargetMachine* host_;
  FixedVectorType* type_;
  unsigned lanes_;
  uint64_t size_;
  bool is_whole_;          ///< all lanes
  bool in_parts_;          ///< of a register each
  bool fills_ = false;     ///< some lanes, which are asked about like all
  Value* root_ = nullptr;  ///< what the lanes' places are made of; null: nobody asks about these
  Place place_;
  bool by_window_ = false;
};

/// Moves `i` in front of `place`, in the same block, with what it needs there; false: that cannot be.
bool hoist(Instruction& i, Instruction& place) {
  SmallSetVector<Instruction*, 16> needed;
  needed.insert(&i);
  for (unsigned k = 0; k < needed.size(); ++k)
    for (Value* operand : needed[k]->operands()) {
      auto* before = dyn_cast<Instruction>(operand);
      if (!before || before->getParent() != place.getParent() || before->comesBefore(&place)) continue;
      if (k == kMostSteps || before->mayReadFromMemory() || !isSafeToSpeculativelyExecute(before)) return false;
      needed.insert(before);
    }
  SmallVector<Instruction*, 16> order = needed.takeVector();
  llvm::sort(order, [](Instruction* a, Instruction* b) { return a->comesBefore(b); });
  for (Instruction* moved : order) moved->moveBefore(&place);
  return true;
}

bool writes_between(Instruction& from, Instruction& to) {
  for (Instruction* i = &from; i != &to; i = i->getNextNode())
    if (i->mayHaveSideEffects()) return true;
  return false;
}

using NearGathers = SmallVector<NearGather, 4>;

/// Takes the first of `waiting`, which are of one block, and those whose lanes come from the same: these are moved in
/// front of it, for one question about all.
NearGathers take_together(NearGathers& waiting) {
  NearGathers together{waiting.front()};
  Instruction& place = waiting.front().gather();
  erase_if(waiting, [&](const NearGather& next) {
    IntrinsicInst& gather = next.gather();
    if (&gather == &place) return true;
    if (together.size() == kMostTogether || !next.is_like(together.front()) || writes_between(place, gather) ||
        !hoist(gather, place))
      return false;
    together.push_back(next);
    return true;
  });
  return together;
}

/// What all of them load where they are near, in front of `end`: lanes that lie closer than a register is wide need
/// half as much, as those of an image that is enlarged.
SmallVector<Value*, 4> load_near(MutableArrayRef<NearGather> together, Instruction& end) {
  IRBuilder<> b(&end);
  Value* in_one = nullptr;
  for (NearGather& gather : together)
    if (Value* own = gather.ask_for_one(b)) in_one = in_one ? b.CreateAnd(in_one, own) : own;
  if (!in_one) return map_to_vector<4>(together, [&](NearGather& gather) { return gather.load(b); });
  Instruction *one_end, *two_end;
  SplitBlockAndInsertIfThenElse(in_one, end.getIterator(), &one_end, &two_end);
  b.SetInsertPoint(one_end);
  const auto one = map_to_vector<4>(together, [&](NearGather& gather) { return gather.load_one(b); });
  for (NearGather& gather : together) gather.forget_touched();
  b.SetInsertPoint(two_end);
  const auto two = map_to_vector<4>(together, [&](NearGather& gather) { return gather.load(b); });
  b.SetInsertPoint(end.getParent(), end.getParent()->begin());
  SmallVector<Value*, 4> loaded;
  for (auto [first, second] : zip(one, two)) {
    PHINode* either = b.CreatePHI(first->getType(), 2);
    either->addIncoming(first, one_end->getParent());
    either->addIncoming(second, two_end->getParent());
    loaded.push_back(either);
  }
  return loaded;
}

/// One question about all of them, which stand in front of `place`, or are it.
bool split(MutableArrayRef<NearGather> together, Instruction& place, KnownLanes& known) {
  IRBuilder<> b(&place);
  Value* all = nullptr;
  for (auto& [first, lanes] : known) lanes.forget_touched();  // where others were near
  for (NearGather& gather : together) {
    Value* near = gather.ask(b, known);
    if (!near) return false;
    all = all ? b.CreateAnd(all, near) : near;
  }
  Instruction *near_end, *far_end;
  SplitBlockAndInsertIfThenElse(all, place.getIterator(), &near_end, &far_end);
  BasicBlock* after = place.getParent();
  for (auto [each, near] : zip(together, load_near(together, *near_end))) {
    IntrinsicInst& gather = each.gather();
    PHINode* either = PHINode::Create(gather.getType(), 2, "", after->getFirstNonPHIIt());
    gather.replaceAllUsesWith(either);
    gather.moveBefore(far_end);
    note_cost(gather, kGatherCost,
              "lanes are asked whether they lie close together: where they do not, each is fetched by itself");
    either->addIncoming(near, near_end->getParent());
    either->addIncoming(&gather, far_end->getParent());
  }
  return true;
}

bool is_candidate(const Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  return gather && gather->getIntrinsicID() == Intrinsic::masked_gather && !gather->hasMetadata(kAtEdge) &&
         cast<FixedVectorType>(gather->getType())->getNumElements() >= 8;
}

}  // namespace

bool is_dense_gather(Instruction& i, const TargetMachine& host) {
  return is_candidate(i) && NearGather(cast<IntrinsicInst>(i), host).is_dense();
}

bool split_near_gathers(Function& run, const TargetMachine& host) {
  SmallVector<NearGathers, 8> gathers;  // of each block
  unsigned all = 0, alone = 0, questions = 0;
  const bool loops = loops_at_edges(run, host.getTargetTransformInfo(run));
  for (BasicBlock& block : run) {
    auto& here = gathers.emplace_back();
    for (Instruction& i : block)
      if (is_candidate(i) && !(loops && i.hasMetadata(kLanesAtEdge))) here.emplace_back(cast<IntrinsicInst>(i), host);
    all += here.size();
    alone += static_cast<unsigned>(count_if(here, [](const NearGather& gather) { return gather.is_alone(); }));
  }
  if (all > kMostGathers || alone > kMostAlone) return false;
  bool changed = false;
  for (NearGathers& waiting : gathers)
    for (KnownLanes known; !waiting.empty() && questions < kMostQuestions;) {
      Instruction& place = waiting.front().gather();
      NearGathers together = take_together(waiting);
      if (!split(together, place, known)) continue;
      changed = true;
      ++questions;
    }
  return changed;
}

}  // namespace lanza::compiler
