// The sentence that tells at what the threads of a block wait when none of them can go on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/kernel_abi.h"

namespace lanza::executor {

class DeadlockReport {
 public:
  /// Thread (linear index, ascending) waits at `record`; `file`: the source that its line is of, empty: unknown.
  void add(unsigned thread, const LanzaRecord& record, std::string_view file);
  /// "deadlock in block (0,0,0): threads 0-30 wait at __syncthreads (k.cu:5), thread 31 at __syncwarp(mask 0xffffffff)
  /// (k.cu:7)"
  std::string text(const LanzaBlock& block) const;

 private:
  struct Group {
    std::string place;
    std::vector<std::pair<unsigned, unsigned>> ranges;  // first and last thread
  };
  std::vector<Group> groups_;
};

}  // namespace lanza::executor
