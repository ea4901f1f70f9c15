// What the compiler did with a kernel and why, for Kernel.report(): the passes fill it, the object carries it as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Instruction;
class Module;
}  // namespace llvm

namespace lanza::compiler {

/// A reason with the line of the user's source that gave it.
struct Reason {
  std::string words;  ///< "the barrier stands under a condition that differs between threads"; empty: none
  unsigned line = 0;  ///< 0: not known
};

/// A form of code that the compiler took where there is a faster one.
struct Cost {
  std::string what;   ///< "gather"
  std::string why;    ///< what holds the faster one back: "lanes are 128 bytes apart"
  unsigned line = 0;  ///< of the source; 0: not known
};

/// The code from one synchronisation point to the next.
struct RegionReport {
  unsigned line = 0;          ///< of the source, where it begins; 0: not known
  bool vectorised = false;    ///< runs several lanes at once
  Reason why;                 ///< why not; empty where it is
  unsigned gathers = 0;       ///< loads of lanes that are neither next to each other nor at a constant stride
  unsigned scatters = 0;      ///< stores likewise
  unsigned lane_by_lane = 0;  ///< instructions done for one active lane after the other: atomics, calls
  std::vector<Cost> costs;    ///< by lines, one of a kind a line: add_cost()
};

struct Report {
  std::string engine;                    ///< threads, lanes (one at a time) or vector
  Reason why;                            ///< that engine
  Reason not_vector;                     ///< why the vector engine refused; empty where it runs, or was not asked
  unsigned lanes = 1;                    ///< at once; 0: every thread a coroutine
  unsigned lane_axis = 0;                ///< along which they run: 0 is x
  std::array<std::uint32_t, 3> block{};  ///< the blockDim it was made for; zeros: any
  std::uint64_t frame_bytes = 0;         ///< thread engine: a thread's coroutine frame
  unsigned spilled_values = 0;           ///< values kept in context memory from one region to another
  std::uint64_t context_bytes = 0;       ///< what they take, a block
  bool waits = false;                    ///< has a loop that waits for other threads
  bool recurses = false;
  std::vector<RegionReport> regions;
};

/// JSON on one line. Without times: the same request gives the same object.
std::string report_json(const std::string& kernel, const Report& report);

void add_cost(std::vector<Cost>& costs, Cost cost);

/// The line of the user's source that the instruction comes from; 0: not known.
unsigned source_line(const llvm::Instruction& instruction);

/// The same in the kernel's own file: where what is inlined from another one (fmaxf) is called.
unsigned line_of_kernel(const llvm::Instruction& instruction);

/// Whether a function calls itself, also by way of others.
bool recurses(llvm::Module& module);

}  // namespace lanza::compiler
