// Finds who asks an analysis after values were erased behind its back.
#pragma once

#include <memory>

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// An analysis that keeps what it knows by the values' addresses is wrong about what is made at the address of one that
/// was erased. Where the program watches, as lanza-opt does in the tests, that is a fatal error as soon as the analysis
/// is asked again; elsewhere nothing is kept. Not told: that some analyses know nothing of new values.
class ErasedValues {
 public:
  /// Watches all analyses that are made from now on.
  static void watch();

  ErasedValues();
  /// `of`: the analysis's name.
  ErasedValues(llvm::Function& function, const char* of);
  ~ErasedValues();
  ErasedValues(ErasedValues&&) noexcept;
  ErasedValues& operator=(ErasedValues&&) noexcept;

  /// The analysis has forgotten it as well.
  void forget(const llvm::Value& value);
  void ask() const {
    if (known_) check();
  }

 private:
  struct Known;
  void check() const;

  std::unique_ptr<Known> known_;
};

}  // namespace lanza::compiler
