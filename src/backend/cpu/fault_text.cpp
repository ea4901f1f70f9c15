// The sentence about a kernel that ended by a fault, an assertion or a trap.
#include "backend/cpu/fault_text.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "backend/cpu/code_ranges.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/kernel_object.hpp"
#include "support/line_table.hpp"

namespace lanza::executor {
namespace {

constexpr std::uintptr_t first_page = 4096;
constexpr std::uintptr_t guard_bytes = std::uintptr_t{1} << 20;  // below a stack: what the system keeps free, at most

// The lowest address of the calling thread's stack; 0: unknown.
std::uintptr_t stack_bottom() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* bottom = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(bottom);
}

// The access was to the end of the thread's stack, where its stack pointer was.
bool is_stack_overflow(const Fault& fault) {
  if (fault.signal != SIGSEGV && fault.signal != SIGBUS) return false;
  const auto near = [](std::uintptr_t a, std::uintptr_t b) { return (a < b ? b - a : a - b) <= guard_bytes; };
  const std::uintptr_t bottom = stack_bottom();
  return bottom && fault.address < bottom + first_page && near(fault.address, bottom) &&
         near(fault.stack_pointer, fault.address);
}

std::string memory_fault(const Fault& fault) {
  const char* hint = fault.address < first_page ? " (a null pointer?)" : "";
  switch (fault.access) {
    case Fault::Access::Read:
      return fmt::format("invalid read of address {:#x}{}", fault.address, hint);
    case Fault::Access::Write:
      return fmt::format("invalid write to address {:#x}{}", fault.address, hint);
    case Fault::Access::Execute:
      return fmt::format("call of a function at the invalid address {:#x}{}", fault.address, hint);
    default:
      break;
  }
  if (fault.code == SI_KERNEL || (fault.signal == SIGBUS && fault.code == BUS_ADRALN))
    return "invalid access (misaligned, or to an address that no memory has)";
  return fmt::format("invalid access to address {:#x}{}", fault.address, hint);
}

std::string what_happened(const Fault& fault) {
  switch (fault.signal) {
    case SIGILL:
      return "trap";
    case SIGTRAP:
      return "breakpoint (__brkpt) without a debugger";
    case SIGFPE:
      return "arithmetic fault";
    default:
      return is_stack_overflow(fault) ? "stack overflow (recursion too deep, or too many local variables)"
                                      : memory_fault(fault);
  }
}

std::string triple(std::uint64_t x, std::uint64_t y, std::uint64_t z) { return fmt::format("({},{},{})", x, y, z); }

/// The threads of a block as the code has them: a row of the launch may be several.
class Threads {
 public:
  Threads(const std::uint32_t* launched, const LanzaKernelObject& code)
      : shape{launched[0], launched[1], launched[2]}, axis_(code.lane_axis), row_(code.row) {
    if (row_) shape = {row_, shape[0] / row_, 1};
    std::swap(shape[0], shape[axis_]);
  }

  /// Of the launch: where the lanes run along it, so do the blocks of a row.
  unsigned axis() const { return axis_; }

  /// As the launch counts them.
  std::string name(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    std::array<std::uint64_t, 3> place = {x, y, z};
    std::swap(place[0], place[axis_]);
    return row_ ? triple(place[1] * row_ + place[0], 0, 0) : triple(place[0], place[1], place[2]);
  }

  std::array<std::uint64_t, 3> shape;  ///< x is the lanes' axis

 private:
  unsigned axis_, row_;
};

// As the caller launched them.
std::string block_name(const LanzaLaunch& launch, std::array<std::uint64_t, 3> index) {
  if (launch.launched_blocks) index[0] %= launch.launched_blocks;
  return triple(index[0], index[1], index[2]);
}

// Of a loop over lanes: one thread, or those of one vector. Where the blocks of a row run as one, a vector may reach
// into the next block, and beyond the row's ends, where no lane is active. Rows run along the lanes' axis.
std::string lanes(const LanzaBlock& block, const LanzaKernelObject& code) {
  const Threads threads(block.launch->block, code);
  const auto& shape = threads.shape;
  const std::uint64_t size = shape[0];
  const unsigned axis = threads.axis();
  const std::uint64_t row = (block.launch->grid[axis] - block.index[axis]) * size;
  const auto start = static_cast<std::int64_t>(block.first_lane + block.lane);
  const auto first = static_cast<std::uint64_t>(std::max<std::int64_t>(start, 0));
  const std::uint64_t last = std::min(static_cast<std::uint64_t>(start) + block.lane_count, row) - 1;
  const auto index = [&](std::uint64_t x) {
    std::array<std::uint64_t, 3> place = {block.index[0], block.index[1], block.index[2]};
    place[axis] += x / size;
    return block_name(*block.launch, place);
  };
  const auto lane = [&](std::uint64_t x) { return threads.name(x % size, block.lane_row[0], block.lane_row[1]); };
  const auto from_to = [&](const std::string& begin, const std::string& end) {
    if (first / size == last / size)
      return fmt::format(" in block {}, one of the threads {} to {}", index(first), begin, end);
    return fmt::format(" in one of the threads {} of block {} to {} of block {}", begin, index(first), end,
                       index(last));
  };
  if (block.lane_rows > 1) {  // from one layer into the next too
    const std::uint64_t begin = block.lane_row[0] + block.lane_row[1] * shape[1];
    const std::uint64_t end = std::min(begin + block.lane_rows, shape[1] * shape[2]) - 1;
    return from_to(lane(0), threads.name(size - 1, end % shape[1], end / shape[1]));
  }
  if (first == last) return fmt::format(" in block {}, thread {}", index(first), lane(first));
  return from_to(lane(first), lane(last));
}

std::string block_and_thread(const BlockState& state) {
  const LanzaBlock& block = state.block;
  if (block.lane_count) return lanes(block, state.run->code());
  std::string text =
      fmt::format(" in block {}", block_name(*block.launch, {block.index[0], block.index[1], block.index[2]}));
  const auto* size = block.launch->block;
  if (const auto t = state.threads.current_thread())
    text += fmt::format(", thread {}", triple(*t % size[0], *t / size[0] % size[1], *t / size[0] / size[1]));
  return text;
}

std::optional<SourceLine> line_of(std::uintptr_t instruction) {
  const KernelObject* object = code_at(instruction);
  return object ? object->line_of(instruction) : std::nullopt;
}

}  // namespace

std::string source_file_of(std::uintptr_t instruction) {
  const auto line = line_of(instruction);
  return line ? line->file : std::string();
}

std::string describe_fault(const BlockState& block, const Fault& fault) {
  std::string text = what_happened(fault) + block_and_thread(block);
  // A return address, and that after a breakpoint, may be the next line's.
  const bool after = fault.access == Fault::Access::Execute || fault.signal == SIGTRAP;
  const auto line = line_of(fault.instruction - (after ? 1 : 0));
  if (line) text += fmt::format(": {}:{}", line->file, line->line);
  return text;
}

std::string describe_failure(const BlockState& block, std::uint32_t failure, const char* message, const char* file,
                             std::uint32_t line, const char* function, std::uintptr_t instruction) {
  std::string text;
  switch (failure) {
    case LANZA_FAIL_ASSERT:
      text = fmt::format("assertion `{}` failed", message ? message : "");
      break;
    case LANZA_FAIL_STACK_OVERFLOW:
      text = "stack overflow (recursion too deep)";
      break;
    default:
      text = message ? message : "trap";
      break;
  }
  text += block_and_thread(block);
  if (file) {
    text += fmt::format(": {}:{}", file, line);
  } else if (const auto found = line_of(instruction)) {
    text += fmt::format(": {}:{}", found->file, found->line);
    file = "";
  }
  if (function) text += fmt::format("{} {}", file ? "," : ":", function);
  return text;
}

}  // namespace lanza::executor
