#include "compiler/passes/vector/scalars/transpose_tiles.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/thread_values.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLanes = 16;
constexpr int64_t kNear = 4;          // elements from a lane to the next: members of a record
constexpr unsigned kTimesFewer = 4;   // that stores have to go far in a turned tile
constexpr uint64_t kLeastOfLine = 4;  // columns, and rows, that an array of one dimension is taken for
constexpr uint64_t kMostOfLine = 256;

bool goes_by_x(const Value& v) { return Origins(v).threads & 1; }

/// What a group's threads have of an index, as far as it goes by them: of a counter the first turn, and 0 of what all
/// share.
class LanePlaces {
 public:
  LanePlaces(const std::array<unsigned, 3>& block, const LoopInfo& loops)
      : lanes_(first_lanes(block)), values_(lanes_), loops_(loops) {}

  const ThreadValues::Values* of(Value& v) {
    prepare(v);
    return values_.of(&v);
  }

 private:
  static std::array<unsigned, 3> first_lanes(const std::array<unsigned, 3>& block) {
    const unsigned x = std::min(block[0], kLanes), y = std::min(block[1], kLanes / x);
    return {x, y, std::min(block[2], kLanes / (x * y))};
  }

  void prepare(Value& v) {
    if (!v.getType()->isIntegerTy() || isa<Constant>(v) || !prepared_.insert(&v).second) return;
    auto* i = dyn_cast<Instruction>(&v);
    if (auto* phi = dyn_cast_or_null<PHINode>(i)) return prepare_counter(*phi);
    const bool is_computed = i && !i->mayReadFromMemory() && !isa<CallBase>(i);
    if (is_computed)
      for (Value* operand : i->operands()) prepare(*operand);
    else if (!i || !goes_by_x(*i))
      assume(v, ThreadValues::Values(size_t{lanes_[0]} * lanes_[1] * lanes_[2], APInt(bits_of(v), 0)));
  }

  void prepare_counter(PHINode& phi) {
    const Loop* loop = loops_.getLoopFor(phi.getParent());
    const BasicBlock* before = loop && loop->getHeader() == phi.getParent() ? loop->getLoopPredecessor() : nullptr;
    if (!before) return;
    Value* start = phi.getIncomingValueForBlock(before);
    prepare(*start);
    if (const auto* first = values_.of(start)) assume(phi, *first);
  }

  static unsigned bits_of(const Value& v) { return v.getType()->getIntegerBitWidth(); }
  void assume(const Value& v, const ThreadValues::Values& values) { values_.assume(&v, values); }

  const std::array<unsigned, 3> lanes_;
  ThreadValues values_;
  const LoopInfo& loops_;
  SmallPtrSet<const Value*, 16> prepared_;
};

/// An element's address: `&tile[row][column]`, or `&line[index]`.
struct Element {
  GetElementPtrInst* address;
  bool is_written;
  bool has_row() const { return address->getNumIndices() == 3; }
  Value* row() const { return address->getOperand(2); }
  Value* column() const { return address->getOperand(address->getNumOperands() - 1); }
};

/// `&array[row * columns + column]`, which becomes `&array[column * rows + row]`.
struct Layout {
  uint64_t rows, columns;
};

/// How many lanes come to a place that is not near the lane's before, of accesses.
struct Distances {
  unsigned before = 0, turned = 0;
};

class Tile {
 public:
  Tile(GlobalVariable& tile, Function& kernel, LanePlaces& lanes, ScalarEvolution& evolution)
      : tile_(tile), kernel_(kernel), lanes_(lanes), evolution_(evolution) {}

  bool transpose() {
    if (!collect()) return false;
    const std::optional<Layout> layout = has_rows() ? layout_of_rows() : layout_of_line();
    if (!layout) return false;
    turn(*layout);
    return true;
  }

 private:
  ArrayType& type() const { return *cast<ArrayType>(tile_.getValueType()); }
  bool has_rows() const { return type().getElementType()->isArrayTy(); }

  // False: it is read and written in other ways.
  bool collect() {
    auto* array = dyn_cast<ArrayType>(tile_.getValueType());
    if (!array || !tile_.hasLocalLinkage()) return false;
    if (has_rows() && cast<ArrayType>(array->getElementType())->getElementType()->isArrayTy()) return false;
    tile_.removeDeadConstantUsers();
    if (!all_of(tile_.users(), [&](User* user) { return take(*user); })) return false;
    const auto is_written = [](const Element& element) { return element.is_written; };
    return any_of(elements_, is_written) && !all_of(elements_, is_written);
  }

  bool take(User& user) {
    auto* address = dyn_cast<GetElementPtrInst>(&user);
    if (!address || address->getFunction() != &kernel_ || address->getSourceElementType() != &type()) return false;
    auto* first = dyn_cast<ConstantInt>(address->getOperand(1));
    if (address->getNumIndices() != (has_rows() ? 3 : 2) || !first || !first->isZero() || address->use_empty())
      return false;
    const bool is_written = isa<StoreInst>(*address->user_begin());
    for (User* access : address->users()) {
      auto* load = dyn_cast<LoadInst>(access);
      auto* store = dyn_cast<StoreInst>(access);
      if (load ? !load->isSimple() : !store || !store->isSimple() || store->getValueOperand() == address) return false;
      if (getLoadStoreType(access) != address->getResultElementType() || is_written != (store != nullptr)) return false;
    }
    elements_.push_back({address, is_written});
    return true;
  }

  bool is_below(Value* v, uint64_t end) const { return evolution_.getUnsignedRangeMax(evolution_.getSCEV(v)).ult(end); }

  std::optional<Layout> layout_of_rows() {
    const uint64_t rows = type().getNumElements(), columns = cast<ArrayType>(type().getElementType())->getNumElements();
    for (const Element& element : elements_)
      if (!is_below(element.row(), rows) || !is_below(element.column(), columns)) return {};
    const Layout layout{rows, columns};
    const bool changes_columns = all_of(elements_, [](const Element& element) {
      return goes_by_x(*element.row()) == element.is_written && goes_by_x(*element.column()) != element.is_written;
    });
    return changes_columns || distance_of_stores(layout) ? std::optional(layout) : std::nullopt;
  }

  std::optional<Layout> layout_of_line() {
    const uint64_t size = type().getNumElements();
    std::optional<Layout> best;
    unsigned least = 0;
    for (uint64_t columns = kLeastOfLine; columns <= kMostOfLine && columns * kLeastOfLine <= size; columns *= 2) {
      if (size % columns != 0) continue;
      const Layout layout{size / columns, columns};
      const std::optional<unsigned> distance = distance_of_stores(layout);
      if (!distance || (best && *distance >= least)) continue;
      best = layout;
      least = *distance;
    }
    return best;
  }

  // Of a layout that is better; nothing: it is not.
  std::optional<unsigned> distance_of_stores(const Layout& layout) {
    Distances stores;
    for (const Element& element : elements_) {
      const std::optional<Distances> distances = distances_of(element, layout);
      if (!distances) return {};
      if (!element.is_written && distances->turned > distances->before) return {};
      if (element.is_written) stores = {stores.before + distances->before, stores.turned + distances->turned};
    }
    if (stores.before == 0 || stores.turned * kTimesFewer > stores.before) return {};
    return stores.turned;
  }

  std::optional<Distances> distances_of(const Element& element, const Layout& layout) {
    const auto* rows = element.has_row() ? lanes_.of(*element.row()) : nullptr;
    const auto* columns = lanes_.of(*element.column());
    if (!columns || (element.has_row() && !rows)) return {};
    Distances distances;
    int64_t last = 0, last_turned = 0;
    for (size_t lane = 0; lane < columns->size(); ++lane) {
      const uint64_t at = (*columns)[lane].getZExtValue();
      const uint64_t row = rows ? (*rows)[lane].getZExtValue() : at / layout.columns;
      const uint64_t column = rows ? at : at % layout.columns;
      const auto place = static_cast<int64_t>(row * layout.columns + column);
      const auto turned = static_cast<int64_t>(column * layout.rows + row);
      distances.before += lane != 0 && !is_near(place - last);
      distances.turned += lane != 0 && !is_near(turned - last_turned);
      last = place;
      last_turned = turned;
    }
    return distances;
  }

  static bool is_near(int64_t distance) { return distance >= 0 && distance <= kNear; }

  void turn(const Layout& layout) {
    Type* element = elements_.front().address->getResultElementType();
    Type* turned = has_rows() ? ArrayType::get(ArrayType::get(element, layout.rows), layout.columns) : &type();
    auto* other = new GlobalVariable(*kernel_.getParent(), turned, false, tile_.getLinkage(), UndefValue::get(turned),
                                     "", &tile_, tile_.getThreadLocalMode(), tile_.getAddressSpace());
    other->copyAttributesFrom(&tile_);
    for (const Element& e : elements_) {
      IRBuilder<> b(e.address);
      SmallVector<Value*, 3> indices{b.getInt64(0)};
      if (has_rows())
        indices.append({e.column(), e.row()});
      else
        indices.push_back(turned_index(b, *e.column(), layout));
      e.address->replaceAllUsesWith(b.CreateInBoundsGEP(turned, other, indices));
      e.address->eraseFromParent();
    }
    other->takeName(&tile_);
    tile_.eraseFromParent();
  }

  // Of the number before it was extended: LLVM takes bits apart where they were put together.
  static Value* turned_index(IRBuilder<>& b, Value& index, const Layout& layout) {
    if (auto* extended = dyn_cast<ZExtInst>(&index))
      return b.CreateZExt(turned_index(b, *extended->getOperand(0), layout), index.getType());
    auto number = [&](uint64_t n) { return ConstantInt::get(index.getType(), n); };
    Value* column = b.CreateAnd(&index, number(layout.columns - 1));
    Value* begin = b.CreateMul(column, number(layout.rows), "", true, true);
    return b.CreateAdd(begin, b.CreateLShr(&index, Log2_64(layout.columns)), "", true, true);
  }

  GlobalVariable& tile_;
  Function& kernel_;
  LanePlaces& lanes_;
  ScalarEvolution& evolution_;
  SmallVector<Element, 8> elements_;
};

}  // namespace

bool transpose_tiles(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  constexpr unsigned kShared = 3;
  LanePlaces lanes(block, analyses.getResult<LoopAnalysis>(kernel));
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  bool changed = false;
  for (GlobalVariable& variable : make_early_inc_range(kernel.getParent()->globals()))
    if (variable.getAddressSpace() == kShared && variable.hasInitializer() &&
        isa<UndefValue>(variable.getInitializer()))
      changed |= Tile(variable, kernel, lanes, evolution).transpose();
  return changed;
}

}  // namespace lanza::compiler
