#include "compiler/passes/vector/lanes/window_loads.hpp"

#include <numeric>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kRegisterBits = 512;
constexpr size_t kMostWindows = 64, kMostLoads = 512;  // of a block of code
constexpr size_t kMostWrites = 16;                     // within a window
constexpr size_t kFewestShifted = 2;                   // for which one more load is worth it

struct Tap {
  int64_t offset;   // bytes
  size_t position;  // in the block
  LoadInst* load;
  bool is_register = false;  // loaded for its window, at the position of another load
};

/// Loads of one type whose addresses differ by whole elements, and between which nothing writes what they read.
struct Window {
  AddressTerms terms;
  FixedVectorType* type;
  int64_t element;  // bytes
  SmallVector<Tap, 16> taps;
  SmallVector<const Instruction*, 8> writes;  // since the first tap, elsewhere than taps read

  bool takes(const AddressTerms& other, const Type* other_type) const {
    return type == other_type && terms.has_same_terms(other) &&
           (static_cast<int64_t>(other.constant) - taps[0].offset) % element == 0;
  }
};

FixedVectorType* register_type(const Instruction& i, const DataLayout& layout) {
  auto* load = dyn_cast<LoadInst>(&i);
  auto* type = load && load->isSimple() ? dyn_cast<FixedVectorType>(load->getType()) : nullptr;
  if (!type || layout.getTypeSizeInBits(type).getFixedValue() != kRegisterBits) return nullptr;
  return type->getScalarSizeInBits() >= 32 ? type : nullptr;
}

/// Finds the windows of a block of code.
class WindowFinder {
 public:
  WindowFinder(BasicBlock& block, AAResults& aliases) : block_(block), aliases_(aliases) {}

  SmallVector<Window, 8> find() {
    size_t position = 0, loads = 0;
    for (Instruction& i : block_) {
      ++position;
      if (FixedVectorType* type = register_type(i, block_.getDataLayout())) {
        if (++loads > kMostLoads) return {};
        add(cast<LoadInst>(i), *type, position);
      } else if (!isGuaranteedToTransferExecutionToSuccessor(&i)) {
        close([](const Window&) { return true; });
      } else if (i.mayWriteToMemory()) {
        note(i);
      }
    }
    close([](const Window&) { return true; });
    return std::move(closed_);
  }

 private:
  void add(LoadInst& load, FixedVectorType& type, size_t position) {
    AddressTerms terms = terms_of(load.getPointerOperand(), block_.getDataLayout());
    const Tap tap{static_cast<int64_t>(terms.constant), position, &load};
    // What is written meanwhile where the load reads ends its window.
    close([&](const Window& window) {
      return window.takes(terms, &type) &&
             any_of(window.writes, [&](const Instruction* i) { return may_write(*i, tap); });
    });
    auto known = find_if(open_, [&](const Window& window) { return window.takes(terms, &type); });
    if (known != open_.end()) return known->taps.push_back(tap);
    if (open_.size() < kMostWindows)
      open_.push_back({std::move(terms), &type, static_cast<int64_t>(type.getScalarSizeInBits() / 8), {tap}, {}});
  }

  void note(const Instruction& write) {
    close([&](const Window& window) {
      return window.writes.size() == kMostWrites ||
             any_of(window.taps, [&](const Tap& tap) { return may_write(write, tap); });
    });
    for (Window& window : open_) window.writes.push_back(&write);
  }

  bool may_write(const Instruction& write, const Tap& tap) {
    return isModSet(aliases_.getModRefInfo(&write, MemoryLocation::get(tap.load)));
  }

  void close(function_ref<bool(const Window&)> ends) {
    erase_if(open_, [&](Window& window) {
      if (!ends(window)) return false;
      closed_.push_back(std::move(window));
      return true;
    });
  }

  BasicBlock& block_;
  BatchAAResults aliases_;
  SmallVector<Window, 8> open_, closed_;
};

/// Loads a window's registers, and shifts the others out of them.
class Shifter {
 public:
  explicit Shifter(Window& window)
      : taps_(window.taps),
        type_(window.type),
        bits_(FixedVectorType::getInteger(type_)),
        element_(window.element),
        bytes_(element_ * type_->getNumElements()) {
    stable_sort(taps_, [](const Tap& a, const Tap& b) { return a.offset < b.offset; });
  }

  bool run() {
    bool changed = false;
    for (size_t base = 0; base < taps_.size();) {
      const int64_t begin = taps_[base].offset, end = begin + bytes_;
      const size_t first = first_from(begin + 1), next = first_from(end);
      const bool is_next_loaded = next < taps_.size() && taps_[next].offset == end;
      if (next - first >= (is_next_loaded ? 1 : kFewestShifted)) {
        shift(base, first, next, is_next_loaded);
        changed = true;
      }
      base = next;
    }
    return changed;
  }

 private:
  size_t first_from(int64_t offset) const {
    return static_cast<size_t>(partition_point(taps_, [&](const Tap& t) { return t.offset < offset; }) - taps_.begin());
  }

  // Those from `first` up to `next` lie between the register at `base` and the one behind it.
  void shift(size_t base, size_t first, size_t next, bool is_next_loaded) {
    const auto range = ArrayRef(taps_).slice(base, next - base + is_next_loaded);
    const Tap earliest = *min_element(range, [](const Tap& a, const Tap& b) {
      return std::pair(a.is_register, a.position) < std::pair(b.is_register, b.position);
    });
    const int64_t begin = taps_[base].offset;
    IRBuilder<> b(earliest.load);
    Value* low = whole(b, earliest, taps_[base]);
    Value* high = is_next_loaded ? whole(b, earliest, taps_[next])
                                 : beginning(b, earliest, begin + bytes_, taps_[next - 1].offset - begin);
    SmallVector<Value*, 16> values(first - base, low);
    for (size_t k = first; k < next; ++k) {
      SmallVector<int, 16> lanes(type_->getNumElements());
      std::iota(lanes.begin(), lanes.end(), static_cast<int>((taps_[k].offset - begin) / element_));
      values.push_back(b.CreateShuffleVector(low, high, lanes));
    }
    if (is_next_loaded) values.push_back(high);
    for (size_t k = 0; k < values.size(); ++k) replace(b, taps_[base + k], *values[k], earliest.position);
  }

  // What the tap loads, where `earliest` is loaded. As integers: of those LLVM 19 shifts two registers by one
  // instruction, of floats by a table of lanes.
  Value* whole(IRBuilder<>& b, const Tap& earliest, const Tap& tap) const {
    if (tap.is_register && tap.position <= earliest.position) return tap.load;
    return b.CreateAlignedLoad(bits_, address(b, earliest, tap.offset), tap.load->getAlign());
  }

  // The first elements of a register, of so many bytes.
  Value* beginning(IRBuilder<>& b, const Tap& earliest, int64_t offset, int64_t bytes) const {
    SmallVector<Constant*, 16> mask;
    for (int64_t at = 0; at < bytes_; at += element_) mask.push_back(b.getInt1(at < bytes));
    return b.CreateMaskedLoad(bits_, address(b, earliest, offset), Align(static_cast<uint64_t>(element_)),
                              ConstantVector::get(mask), Constant::getNullValue(bits_));
  }

  static Value* address(IRBuilder<>& b, const Tap& earliest, int64_t offset) {
    return b.CreatePtrAdd(earliest.load->getPointerOperand(),
                          b.getInt64(static_cast<uint64_t>(offset - earliest.offset)));
  }

  // A register may be one of the next window's.
  static void replace(IRBuilder<>& b, Tap& tap, Value& value, size_t position) {
    if (&value == tap.load) return;
    tap.load->replaceAllUsesWith(b.CreateBitCast(&value, tap.load->getType()));
    if (b.GetInsertPoint() == tap.load->getIterator()) b.SetInsertPoint(tap.load->getNextNode());
    tap.load->eraseFromParent();
    tap.load = dyn_cast<LoadInst>(&value);
    tap.position = position;
    tap.is_register = tap.load;
  }

  SmallVectorImpl<Tap>& taps_;  // by offset
  FixedVectorType *type_, *bits_;
  const int64_t element_, bytes_;
};

}  // namespace

bool shift_windows(Function& run, AAResults& aliases) {
  bool changed = false;
  for (BasicBlock& block : run)
    for (Window& window : WindowFinder(block, aliases).find()) changed |= Shifter(window).run();
  return changed;
}

}  // namespace lanza::compiler
