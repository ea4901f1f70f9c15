// The one option of the examples: `--device cpu`, `--device cuda:1`; by default the first GPU, else the CPU.
#pragma once

#include <lanza/device.hpp>
#include <lanza/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

/// The device that the command line names. A wrong command line ends the program with status 2.
inline lanza::Device device_option(int argc, char** argv) {
  try {
    if (argc == 1) return lanza::default_device();
    if (argc == 3 && std::string_view(argv[1]) == "--device") return lanza::Device(argv[2]);
    std::fprintf(stderr, "usage: %s [--device cpu|cuda|cuda:N]\n", argv[0]);
  } catch (const lanza::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::exit(2);
}
