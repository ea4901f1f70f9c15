// The command `lanza`, once for the program of CMake's install and for `python -m lanza`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lanza::cli {

/// What `lanza run [-m] PROGRAM [ARGS]` was asked to run.
struct Program {
  std::string name;  ///< of a file, or of a module
  std::vector<std::string> arguments;
  bool module = false;
};

/// Runs a Python program and returns its exit status. What it throws passes through main().
using RunProgram = std::function<int(const Program&)>;

/// Executes `python -m lanza run ...`, which replaces this process. Returns 1 with a message when there is no Python.
int run_with_python(const Program&);

/// The command with these arguments (without its own name). Prints to stdout, errors to stderr. Returns 0, 1 (a
/// problem), 2 (wrong usage), or what the program of `run` returned.
int main(const std::vector<std::string>& arguments, const RunProgram& run_program);

}  // namespace lanza::cli
