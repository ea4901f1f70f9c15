#include "compiler/passes/vector/scalars/align_tiles.hpp"

#include <map>
#include <optional>

#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;            // the address space
constexpr int64_t kLine = 64;              // bytes
constexpr uint64_t kMostBytes = 16 << 10;  // half of the first cache
constexpr unsigned kStoreVotes = 2;        // two lines are to be had before one is written

/// An array of rows.
struct Layout {
  int64_t rows, pitch, size;  ///< bytes from row to row; of an element
};

/// Where an access goes, as sums of terms.
struct Place {
  Instruction* access;
  SmallVector<AddressTerms::Term, 2> rows, columns;  ///< factors in rows, in bytes
  int64_t row, column;                               ///< the constants, likewise; the column never leaves the row
};

std::optional<Layout> layout_of(const GlobalVariable& tile, const DataLayout& layout) {
  Type* type = tile.getValueType();
  const auto all = static_cast<int64_t>(layout.getTypeAllocSize(type).getFixedValue());
  int64_t pitch = 0;
  while (auto* array = dyn_cast<ArrayType>(type)) {
    pitch = static_cast<int64_t>(layout.getTypeAllocSize(type).getFixedValue());
    type = array->getElementType();
  }
  const auto size = static_cast<int64_t>(layout.getTypeAllocSize(type).getFixedValue());
  const bool is_number = type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(32) || type->isIntegerTy(64);
  return is_number && pitch > size ? std::optional(Layout{all / pitch, pitch, size}) : std::nullopt;
}

class Aligner {
 public:
  Aligner(Function& kernel, std::array<unsigned, 3> block, GlobalVariable& tile, FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        block_(block),
        tile_(tile),
        data_(kernel.getParent()->getDataLayout()),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        ranges_(analyses.getResult<LazyValueAnalysis>(kernel)) {}

  bool run() {
    const auto layout = layout_of(tile_, data_);
    if (!layout) return false;
    layout_ = *layout;
    tile_.removeDeadConstantUsers();
    if (!collect(tile_)) return false;
    const std::optional<int64_t> start = choose_start();
    if (!start) return false;
    const auto pitch = static_cast<int64_t>(alignTo(*start + layout_.pitch, layout_.rows > 1 ? kLine : layout_.size));
    if (pitch == layout_.pitch || layout_.rows * pitch > static_cast<int64_t>(kMostBytes)) return false;
    move(pitch, *start);
    return true;
  }

 private:
  bool collect(Value& address) {
    return all_of(address.users(), [&](User* user) {
      if (isa<GEPOperator>(user)) return collect(*user);
      auto* access = dyn_cast<Instruction>(user);
      if (!access || access->getFunction() != &kernel_ || getLoadStorePointerOperand(access) != &address) return false;
      if (auto* store = dyn_cast<StoreInst>(access); store && store->getValueOperand() == &address) return false;
      auto place = place_of(*access, address);
      if (place) places_.push_back(*place);
      return place.has_value();
    });
  }

  std::optional<Place> place_of(Instruction& access, const Value& address) {
    const AddressTerms terms = terms_of(&address, data_);
    const auto constant = static_cast<int64_t>(terms.constant);
    Place place{&access, {}, {}, constant / layout_.pitch, constant % layout_.pitch};
    if (constant < 0 || place.column % layout_.size != 0) return std::nullopt;
    int64_t end = place.column + static_cast<int64_t>(data_.getTypeStoreSize(getLoadStoreType(&access)));
    bool begins_here = false;
    for (AddressTerms::Term term : terms.terms) {
      const auto factor = static_cast<int64_t>(term.factor);
      if (term.value == &tile_) {
        begins_here = factor == 1;
      } else if (factor % layout_.pitch == 0 && layout_.rows > 1) {
        if (!may_be_row(*term.value)) return std::nullopt;
        term.factor = static_cast<uint64_t>(factor / layout_.pitch);
        place.rows.push_back(term);
      } else {
        const auto most = greatest(*term.value, access);
        if (!most || factor < 0 || factor % layout_.size != 0) return std::nullopt;
        end += factor * *most;
        place.columns.push_back(term);
      }
    }
    return begins_here && end <= layout_.pitch ? std::optional(std::move(place)) : std::nullopt;
  }

  // `s[i / 20][i % 20]` is s[i], as long as rows follow each other.
  static bool may_be_row(const Value& v) {
    return thread_axis(&v) || (!isa<Function>(v) && (Origins(v).threads & 1) == 0);
  }

  // Of a value that is not negative; nothing: who knows.
  std::optional<int64_t> greatest(const Value& v, Instruction& access) {
    const auto axis = thread_axis(&v);
    auto* value = axis ? &index(*axis) : const_cast<Value*>(&v);
    if (!isa<Instruction>(value) || !value->getType()->isIntegerTy()) return std::nullopt;
    const ConstantRange known = evolution_.getUnsignedRange(evolution_.getSCEV(value))
                                    .intersectWith(ranges_.getConstantRange(value, &access, /*UndefAllowed=*/false));
    const uint64_t most = known.getUnsignedMax().getLimitedValue(axis ? block_[*axis] - 1 : kMostBytes);
    return most < kMostBytes ? std::optional(static_cast<int64_t>(most)) : std::nullopt;
  }

  // Where the array begins behind the start of a line; nothing: too few accesses are worth it. Rows of 20 as 32 took
  // 1.02 of the time in a 5x5 convolution, most of whose loads lie across two lines wherever rows begin.
  std::optional<int64_t> choose_start() const {
    std::map<int64_t, unsigned> votes;  // by what is to be added
    unsigned all = 0;
    uint64_t align = 1;
    for (const Place& place : places_) {
      const unsigned vote = isa<StoreInst>(place.access) ? kStoreVotes : 1;
      all += vote;
      align = std::max(align, getLoadStoreAlignment(place.access).value());
      if (is_line_of_threads(place)) votes[(kLine - place.column % kLine) % kLine] += vote;
    }
    if (votes.empty()) return std::nullopt;
    const auto best = max_element(votes, [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool are_lines_apart = layout_.rows == 1 || layout_.pitch % kLine == 0;
    if (!are_lines_apart && 2 * best->second < all) return std::nullopt;
    return best->first % static_cast<int64_t>(align) == 0 ? best->first : 0;
  }

  bool is_line_of_threads(const Place& place) const {
    if (static_cast<int64_t>(data_.getTypeStoreSize(getLoadStoreType(place.access))) != layout_.size) return false;
    if (block_[0] * layout_.size % kLine != 0) return false;
    bool has_x = false;
    for (const AddressTerms::Term& term : place.columns) {
      const bool is_x = thread_axis(term.value) == 0U && static_cast<int64_t>(term.factor) == layout_.size;
      if (!is_x && static_cast<int64_t>(term.factor) % kLine != 0) return false;
      has_x |= is_x;
    }
    return has_x;
  }

  // ---- the change

  void move(int64_t pitch, int64_t start) {
    Type* element = tile_.getValueType();
    while (auto* array = dyn_cast<ArrayType>(element)) element = array->getElementType();
    Type* type = ArrayType::get(element, static_cast<uint64_t>(pitch / layout_.size));
    if (layout_.rows > 1) type = ArrayType::get(type, static_cast<uint64_t>(layout_.rows));
    auto* moved = new GlobalVariable(*kernel_.getParent(), type, false, tile_.getLinkage(), UndefValue::get(type), "",
                                     &tile_, tile_.getThreadLocalMode(), tile_.getAddressSpace());
    moved->setAlignment(std::max(tile_.getAlign().valueOrOne(), Align(kLine)));
    DenseMap<Value*, Value*> known;
    for (const Place& place : places_) {
      Use& use = place.access->getOperandUse(isa<StoreInst>(place.access) ? 1 : 0);
      Value*& address = known[use.get()];
      if (!address) address = address_of(place, *moved, start, *use.get());
      use.set(address);
    }
    SmallVector<WeakTrackingVH, 32> idle;
    for (auto [before, after] : known) idle.emplace_back(before);
    moved->takeName(&tile_);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(idle);
    tile_.removeDeadConstantUsers();
    if (tile_.use_empty()) tile_.eraseFromParent();
  }

  // Where the one before it stands: in front of loops, perhaps.
  Value* address_of(const Place& place, GlobalVariable& moved, int64_t start, Value& before) {
    auto* there = dyn_cast<Instruction>(&before);
    IRBuilder<> b(there ? there : &*kernel_.getEntryBlock().getFirstInsertionPt());
    SmallVector<Value*, 3> indices{b.getInt64(0)};
    if (layout_.rows > 1) indices.push_back(sum(b, place.rows, 1, place.row));
    indices.push_back(sum(b, place.columns, layout_.size, (place.column + start) / layout_.size));
    return b.CreateInBoundsGEP(moved.getValueType(), &moved, indices);
  }

  // In 32 bits, as thread indices are: it is less than the array's size, whatever its parts are.
  Value* sum(IRBuilder<>& b, ArrayRef<AddressTerms::Term> terms, int64_t unit, int64_t constant) {
    auto number = [&](int64_t n) { return b.getInt32(static_cast<uint32_t>(n)); };
    Value* sum = nullptr;
    bool wraps = false, has_sign = constant < 0;
    for (const AddressTerms::Term& term : terms) {
      wraps |= !thread_axis(term.value);
      Value* value = value_of(term, b);
      const int64_t times = static_cast<int64_t>(term.factor) / unit;
      has_sign |= times < 0;
      if (times != 1) value = b.CreateMul(value, number(times), "", !wraps && !has_sign, !wraps);
      sum = sum ? b.CreateAdd(sum, value, "", !wraps && !has_sign, !wraps) : value;
    }
    if (!sum) return b.getInt64(static_cast<uint64_t>(constant));
    if (constant) sum = b.CreateAdd(sum, number(constant), "", !wraps && !has_sign, !wraps);
    return b.CreateZExt(sum, b.getInt64Ty());
  }

  Value* value_of(const AddressTerms::Term& term, IRBuilder<>& b) {
    if (const auto axis = thread_axis(term.value)) {
      Instruction& first = index(*axis);
      first.moveBefore(kernel_.getEntryBlock(), kernel_.getEntryBlock().begin());
      return &first;
    }
    auto* value = const_cast<Value*>(term.value);
    return term.extension == AddressTerms::Sign ? b.CreateSExtOrTrunc(value, b.getInt32Ty())
                                                : b.CreateZExtOrTrunc(value, b.getInt32Ty());
  }

  // All calls give the same.
  Instruction& index(unsigned axis) {
    auto all = instructions(kernel_);
    return *find_if(all, [&](Instruction& i) {
      auto* call = dyn_cast<IntrinsicInst>(&i);
      return call && thread_axis(call->getIntrinsicID()) == axis;
    });
  }

  Function& kernel_;
  const std::array<unsigned, 3> block_;
  GlobalVariable& tile_;
  const DataLayout& data_;
  ScalarEvolution& evolution_;
  LazyValueInfo& ranges_;
  Layout layout_{};
  SmallVector<Place, 32> places_;
};

}  // namespace

bool align_tiles(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  if (!has_sync(kernel)) return false;
  bool changed = false;
  for (GlobalVariable& variable : make_early_inc_range(kernel.getParent()->globals()))
    if (variable.getAddressSpace() == kShared && variable.hasLocalLinkage() && variable.hasInitializer() &&
        isa<UndefValue>(variable.getInitializer()))
      changed |= Aligner(kernel, block, variable, analyses).run();
  return changed;
}

}  // namespace lanza::compiler
