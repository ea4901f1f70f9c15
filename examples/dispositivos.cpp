// Lists the devices that can run kernels.
#include <cstdio>
#include <lanza/lanza.hpp>

#include "options.hpp"

static void print(const lanza::Device& device) {
  const auto [major, minor] = device.compute_capability();
  std::printf("%s: %s\n", device.id().c_str(), device.name().c_str());
  std::printf("  memory: %zu GB\n", device.memory_info().total >> 30);
  std::printf("  compute capability: %d.%d\n", major, minor);
  std::printf("  threads of a block: at most %lld\n",
              static_cast<long long>(device.attribute("max_threads_per_block")));
}

int main(int argc, char** argv) {
  if (argc > 1) {
    print(device_option(argc, argv));
    return 0;
  }
  const auto devices = lanza::devices();
  std::printf("%zu dispositivo(s) encontrado.\n", devices.size());
  for (const lanza::Device& device : devices) print(device);
  if (!lanza::cuda::is_available()) std::printf("%s\n", lanza::cuda::why_unavailable().c_str());
}
