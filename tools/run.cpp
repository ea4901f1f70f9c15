// `lanza run` outside Python: Python does it.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tools/cli.hpp"
#include "tools/text.hpp"

namespace lanza::cli {

int run_with_python(const Program& program) {
  std::vector<std::string> words{"", "-m", "lanza", "run"};
  if (program.module) words.push_back("-m");
  words.push_back(program.name);
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  std::vector<std::string> interpreters{"python3", "python"};
  if (const char* environment = std::getenv("VIRTUAL_ENV"); environment && *environment)
    interpreters.insert(interpreters.begin(), fmt::format("{}/bin/python", environment));
  int reason = ENOENT;
  for (auto& interpreter : interpreters) {
    argv[0] = interpreter.data();
    ::execvp(argv[0], argv.data());  // returns only when it failed
    if (errno != ENOENT) reason = errno;
  }
  fmt::print(stderr,
             "lanza: run needs Python, and python3 cannot be started: {}; install Python with the package lanza\n",
             std::strerror(reason));
  return 1;
}

}  // namespace lanza::cli
