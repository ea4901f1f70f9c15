// A question that is asked of each launch, as a function of its own.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace lanza::compiler {

inline constexpr char kFits[] = "lanza.fits";  ///< its name

/// Makes `fits` of LanzaKernelObject: whether all that is required of a launch is so. Formulas are doubles, folded
/// where they are constant. Whole numbers of up to 53 bits are exact, and a number that is rounded stays on its side of
/// them.
class LaunchTest {
 public:
  /// `kernel`: in any form that has the parameters of the source.
  explicit LaunchTest(const llvm::Function& kernel);

  llvm::Value* number(double value) const;
  llvm::Value* grid_size(unsigned axis);
  /// What lies there in a parameter, as a signed integer of that type.
  llvm::Value* argument(const llvm::Argument& parameter, llvm::Type* type, uint64_t offset = 0);
  llvm::Value* sum(llvm::Value* a, llvm::Value* b);
  llvm::Value* difference(llvm::Value* a, llvm::Value* b);
  llvm::Value* product(llvm::Value* a, llvm::Value* b);
  llvm::Value* quotient(llvm::Value* a, llvm::Value* b);
  llvm::Value* least(llvm::Value* a, llvm::Value* b);
  llvm::Value* greatest(llvm::Value* a, llvm::Value* b);
  llvm::Value* is_below(llvm::Value* a, double limit);     ///< a condition
  llvm::Value* is_at_least(llvm::Value* a, double limit);  ///< another
  llvm::Value* is_less(llvm::Value* a, llvm::Value* b);

  /// Of constants and extents of the grid.
  bool is_never_negative(const llvm::Value* formula) const;
  /// Whether launches as usual as others have such a number: some that are made up do.
  bool is_usually_at_least(const llvm::Value* formula, double limit) const;

  /// From here on the launch must have that condition.
  void require(llvm::Value* condition) { required_.insert(condition); }
  unsigned required() const { return required_.size(); }
  /// A module with the function, for the kernel's to be linked with; null where nothing is required.
  std::unique_ptr<llvm::Module> take();

 private:
  using Usual = std::array<double, 3>;  ///< numbers in those launches
  llvm::Value* first_of(llvm::Value* formula);
  llvm::Value* keep(llvm::Value* formula, const Usual& usual);
  Usual usual(const llvm::Value* formula) const;
  template <typename Operation>
  llvm::Value* keep(llvm::Value* formula, llvm::Value* a, llvm::Value* b, Operation operation);
  llvm::Value* keep_sign(llvm::Value* formula, const llvm::Value* a, const llvm::Value* b);

  std::unique_ptr<llvm::Module> module_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  llvm::SmallVector<uint64_t, 8> offsets_;  ///< of parameters
  llvm::DenseMap<std::pair<uint64_t, llvm::Type*>, llvm::Value*> arguments_;
  llvm::Value* grid_[3] = {};
  using Parts = std::tuple<unsigned, unsigned, llvm::Value*, llvm::Value*>;
  std::map<Parts, llvm::Value*> made_;
  llvm::DenseMap<const llvm::Value*, Usual> usual_;
  llvm::SmallPtrSet<const llvm::Value*, 16> natural_;  ///< never negative
  llvm::SmallSetVector<llvm::Value*, 16> required_;
};

/// A formula's value, where it is a constant.
std::optional<double> constant_of(const llvm::Value* formula);

}  // namespace lanza::compiler
