// The program `lanza`.
#include "tools/cli.hpp"

int main(int count, char** arguments) {
  return lanza::cli::main({arguments + 1, arguments + count}, lanza::cli::run_with_python);
}
