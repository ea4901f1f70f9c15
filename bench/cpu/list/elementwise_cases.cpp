// Launches and data of the kernels with a thread an element.
#include "case.hpp"
#include "data.hpp"

namespace bench {

void add_elementwise(Cases& cases) {
  const int n = 1 << 20, options = 1 << 18, throwers = 1 << 15;
  const char* file = "list/elementwise.cu";
  cases.add({"saxpy 1M", 1.05, file, "saxpy", blocks(n, 256), 256, "saxpy", n, 1e-6}, n, 1e-3f, in(floats(n, -2, 2)),
            inout(floats(n, -2, 2)));
  cases.add({"triad 1M", 1.05, file, "triad", blocks(n, 256), 256, "triad", n, 1e-6}, n, 3.0f, in(floats(n, -2, 2)),
            in(floats(n, -2, 2)), out<float>(n));
  cases.add({"exp + sin + sqrt 1M", 1.05, file, "elem", blocks(n, 256), 256, "elem", n, 1e-6}, n, in(floats(n, -2, 2)),
            in(floats(n, -2, 2)), out<float>(n));
  cases.add(
      {"Black-Scholes 256K", 1.05, file, "black_scholes", blocks(options, 128), 128, "black_scholes", options, 1e-5},
      in(floats(options, 5, 30)), in(floats(options, 1, 100)), in(floats(options, 0.25f, 10)), out<float>(options),
      out<float>(options), 0.02f, 0.3f, options);
  cases.add({"Monte-Carlo pi 32K x 256", 2.0, file, "pi", blocks(throwers, 256), 256, "pi", throwers / 256, 0.05},
            out<unsigned>(throwers / 256), 256);
}

}  // namespace bench
