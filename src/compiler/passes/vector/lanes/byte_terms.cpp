#include "compiler/passes/vector/lanes/byte_terms.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kLanes = 16, kBytes = 4, kAll = kLanes * kBytes;
constexpr unsigned kMostLeaves = 260;  // of a sum
constexpr unsigned kDeepest = 4;       // operations from a load to a term

/// The same of four terms.
using Quad = std::array<Value*, kBytes>;

/// One of a sum's terms: 16 bytes, extended.
struct Term {
  Value* bytes;
  bool is_signed;
  LoadInst* load;  ///< of neighbours, by which terms are ordered
  int64_t at = 0;  ///< of the load, from another term's
};

LoadInst* load_in(Value* v, unsigned depth) {
  if (auto* load = dyn_cast<LoadInst>(v)) return load->isSimple() ? load : nullptr;
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0 || !isa<BinaryOperator, IntrinsicInst>(i)) return nullptr;
  for (Value* operand : i->operands())
    if (operand->getType()->isVectorTy())
      if (LoadInst* load = load_in(operand, depth - 1)) return load;
  return nullptr;
}

bool is_bytewise(const Instruction& i) {
  if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
    const Intrinsic::ID id = call->getIntrinsicID();
    return isa<MinMaxIntrinsic>(i) || id == Intrinsic::usub_sat || id == Intrinsic::uadd_sat;
  }
  auto* operation = dyn_cast<BinaryOperator>(&i);
  return operation && (operation->isBitwiseLogicOp() || operation->getOpcode() == Instruction::Add ||
                       operation->getOpcode() == Instruction::Sub);
}

/// Four terms' values, as bytes of one register: those of a lane side by side.
class Quads {
 public:
  explicit Quads(ScalarEvolution& evolution) : evolution_(evolution) {}

  std::optional<int64_t> distance(const LoadInst& from, const LoadInst& to) {
    const SCEV *a = evolution_.getSCEV(const_cast<Value*>(from.getPointerOperand())),
               *b = evolution_.getSCEV(const_cast<Value*>(to.getPointerOperand()));
    if (evolution_.getPointerBase(a) != evolution_.getPointerBase(b)) return {};
    auto* bytes = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(b, a));
    return bytes ? std::optional(bytes->getAPInt().getSExtValue()) : std::nullopt;
  }

  bool can(const Quad& v, unsigned depth = kDeepest) {
    if (made_.contains(v) || is_shared(v) || are_rows(v) || are_bytes(v)) return true;
    auto* first = dyn_cast<Instruction>(v[0]);
    if (!first || depth == 0 || !is_bytewise(*first)) return false;
    for (Value* each : v) {
      auto* i = dyn_cast<Instruction>(each);
      if (!i || i->getOpcode() != first->getOpcode()) return false;
      if (isa<IntrinsicInst>(first) && (!isa<IntrinsicInst>(i) || cast<IntrinsicInst>(i)->getIntrinsicID() !=
                                                                      cast<IntrinsicInst>(first)->getIntrinsicID()))
        return false;
    }
    return can(operands(v, 0), depth - 1) && can(operands(v, 1), depth - 1);
  }

  /// Behind can(): in front of `place`, or where the loads are.
  Value* make(const Quad& v, Instruction& place) {
    auto& made = made_[v];
    if (made && !isa<Instruction>(made)) return made;
    if (made && (is_loaded_.contains(v) || cast<Instruction>(made)->getParent() == place.getParent())) return made;
    IRBuilder<> b(&place);
    Value* result = nullptr;
    if (is_shared(v)) {
      result = b.CreateVectorSplat(kAll, getSplatValue(v[0]));
    } else if (are_rows(v) || are_bytes(v)) {
      is_loaded_.insert(v);
      result = are_rows(v) ? window(*cast<LoadInst>(v[0])) : word(*cast<LoadInst>(getSplatValue(v[0])));
    } else {
      Value *left = make(operands(v, 0), place), *right = make(operands(v, 1), place);
      auto* call = dyn_cast<IntrinsicInst>(v[0]);
      result = call ? b.CreateBinaryIntrinsic(call->getIntrinsicID(), left, right)
                    : b.CreateBinOp(cast<BinaryOperator>(v[0])->getOpcode(), left, right);
    }
    return made_[v] = result;
  }

 private:
  static Quad operands(const Quad& v, unsigned k) {
    Quad all;
    for (unsigned n = 0; n < kBytes; ++n) all[n] = cast<Instruction>(v[n])->getOperand(k);
    return all;
  }

  static bool is_shared(const Quad& v) {
    return all_of(v, [&](Value* each) { return each == v[0]; }) && getSplatValue(v[0]);
  }

  bool are_rows(const Quad& v) { return are_consecutive(v); }

  bool are_bytes(const Quad& v) {
    Quad scalars;
    for (unsigned n = 0; n < kBytes; ++n) {
      scalars[n] = getSplatValue(v[n]);
      if (!scalars[n]) return false;
    }
    return are_consecutive(scalars);
  }

  // Loads that begin a byte later each, of one block, and nothing is written from the first of them to the last.
  bool are_consecutive(const Quad& v) {
    auto* first = dyn_cast<LoadInst>(v[0]);
    if (!first) return false;
    Instruction* last = first;
    for (unsigned n = 0; n < kBytes; ++n) {
      auto* load = dyn_cast<LoadInst>(v[n]);
      if (!load || !load->isSimple() || load->getParent() != first->getParent() || load->getType() != first->getType())
        return false;
      if (distance(*first, *load) != int64_t{n}) return false;
      if (load->comesBefore(first) && writes_between(*load, *first)) return false;
      if (last->comesBefore(load)) last = load;
    }
    return !writes_between(*first, *last);
  }

  static bool writes_between(Instruction& from, Instruction& to) {
    for (Instruction* i = &from; i != &to; i = i->getNextNode())
      if (i->mayWriteToMemory()) return true;
    return false;
  }

  // What the four loads touch, and no more: lane l has the bytes l to l + 3.
  static Value* window(LoadInst& first) {
    IRBuilder<> b(&first);
    constexpr unsigned kTouched = kLanes + kBytes - 1, kLoaded = 32;
    auto* bytes = FixedVectorType::get(b.getInt8Ty(), kLoaded);
    SmallVector<Constant*, kLoaded> touched;
    for (unsigned n = 0; n < kLoaded; ++n) touched.push_back(b.getInt1(n < kTouched));
    Value* row = b.CreateMaskedLoad(bytes, first.getPointerOperand(), Align(1), ConstantVector::get(touched),
                                    Constant::getNullValue(bytes));
    SmallVector<Constant*, kAll> order;
    for (unsigned n = 0; n < kAll; ++n) order.push_back(b.getInt8(n / kBytes + n % kBytes));
    Value* whole = b.CreateShuffleVector(row, createSequentialMask(0, kLoaded, kAll - kLoaded));
    return b.CreateIntrinsic(Intrinsic::x86_avx512_permvar_qi_512, {}, {whole, ConstantVector::get(order)});
  }

  static Value* word(LoadInst& first) {
    IRBuilder<> b(&first);
    Value* four = b.CreateAlignedLoad(b.getInt32Ty(), first.getPointerOperand(), Align(1));
    return b.CreateBitCast(b.CreateVectorSplat(kLanes, four), FixedVectorType::get(b.getInt8Ty(), kAll));
  }

  ScalarEvolution& evolution_;
  std::map<Quad, Value*> made_;
  std::set<Quad> is_loaded_;
};

/// A sum that is no part of another one.
class Sum {
 public:
  Sum(Instruction& root, Quads& quads) : root_(root), quads_(quads) {}

  bool find() {
    SmallVector<Value*, 16> work{root_.getOperand(0), root_.getOperand(1)};
    for (unsigned leaves = 0; !work.empty();) {
      Value *v = work.pop_back_val(), *x, *y;
      if (++leaves > kMostLeaves) return false;
      if (match(v, m_OneUse(m_Add(m_Value(x), m_Value(y)))))
        work.append({x, y});
      else if (!take_term(v))
        others_.push_back(v);
    }
    if (terms_.size() >= kBytes) take_quads();
    return !found_.empty();
  }

  /// The root, which nobody uses any more.
  Instruction* replace() {
    IRBuilder<> b(&root_);
    Value* sum = Constant::getNullValue(root_.getType());
    Constant* one = ConstantInt::get(root_.getType(), 0x01010101);
    for (const auto& [quad, is_signed] : found_) {
      Value* bytes = b.CreateBitCast(quads_.make(quad, root_), root_.getType());
      Value *without_sign = is_signed ? one : bytes, *with_sign = is_signed ? bytes : one;
      sum = b.CreateIntrinsic(Intrinsic::x86_avx512_vpdpbusd_512, {}, {sum, without_sign, with_sign});
    }
    for (Value* other : others_) sum = b.CreateAdd(sum, other);
    root_.replaceAllUsesWith(sum);
    return &root_;
  }

 private:
  bool take_term(Value* v) {
    Value* bytes;
    if (!match(v, m_OneUse(m_ZExtOrSExt(m_Value(bytes)))) || !bytes->getType()->getScalarType()->isIntegerTy(8))
      return false;
    LoadInst* load = load_in(bytes, kDeepest);
    if (!load) return false;
    terms_.push_back({bytes, isa<SExtInst>(v), load});
    extended_[bytes] = v;
    return true;
  }

  // In the order of places along a row: as many as lie side by side.
  void take_quads() {
    while (!terms_.empty()) {
      SmallVector<Term, 16> row, rest;
      for (Term& term : terms_) {
        const auto at =
            term.is_signed == terms_[0].is_signed ? quads_.distance(*terms_[0].load, *term.load) : std::nullopt;
        if (at) term.at = *at;
        (at ? row : rest).push_back(term);
      }
      llvm::stable_sort(row, [](const Term& a, const Term& b) { return a.at < b.at; });
      take_row(row);
      terms_ = std::move(rest);
    }
  }

  void take_row(ArrayRef<Term> row) {
    while (!row.empty()) {
      if (row.size() >= kBytes) {
        const Quad quad{row[0].bytes, row[1].bytes, row[2].bytes, row[3].bytes};
        if (quads_.can(quad)) {
          found_.push_back({quad, row[0].is_signed});
          row = row.drop_front(kBytes);
          continue;
        }
      }
      others_.push_back(extended_[row[0].bytes]);
      row = row.drop_front();
    }
  }

  Instruction& root_;
  Quads& quads_;
  SmallVector<Term, 16> terms_;
  SmallVector<std::pair<Quad, bool>, 8> found_;
  SmallVector<WeakTrackingVH, 8> others_;  // other sums may be among them
  DenseMap<Value*, Value*> extended_;
};

bool is_root(Instruction& i) {
  if (i.getOpcode() != Instruction::Add ||
      i.getType() != FixedVectorType::get(Type::getInt32Ty(i.getContext()), kLanes))
    return false;
  return !i.hasOneUse() || cast<Instruction>(*i.user_begin())->getOpcode() != Instruction::Add;
}

}  // namespace

bool add_byte_terms(Function& run, ScalarEvolution& evolution, const TargetMachine& host) {
  if (!has_features(host, "+avx512vbmi,+avx512vnni")) return false;
  SmallVector<Instruction*, 16> roots;
  for (Instruction& i : instructions(run))
    if (is_root(i)) roots.push_back(&i);
  Quads quads(evolution);
  SmallVector<Sum, 8> sums;
  for (Instruction* root : roots)
    if (Sum sum(*root, quads); sum.find()) sums.push_back(std::move(sum));
  SmallVector<WeakTrackingVH, 8> unused;
  for (Sum& sum : sums) unused.push_back(sum.replace());
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  return !sums.empty();
}

}  // namespace lanza::compiler
