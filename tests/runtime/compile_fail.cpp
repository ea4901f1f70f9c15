// What must not compile, one CASE each; CASE 0 is the control, which must.
#include <lanza/lanza.hpp>
#include <vector>

void test(const lanza::Kernel& kernel, std::vector<float>& host, const lanza::Buffer<float>& buffer) {
#if CASE == 0
  kernel({.block = 1}, lanza::out(host), buffer, nullptr);
  lanza::copy(buffer, host);
#elif CASE == 1
  host = buffer;
#elif CASE == 2
  const lanza::Buffer<float> made = host;
#elif CASE == 3
  const float* pointer = buffer.ptr();
#elif CASE == 4
  kernel({.block = 1}, lanza::in(buffer));
#elif CASE == 5
  kernel({.block = 1}, host.data());
#elif CASE == 6
  lanza::copy(buffer, std::vector<double>(4));
#elif CASE == 7
  lanza::copy(host, host);
#elif CASE == 8
  lanza::StreamView view(nullptr);
#elif CASE == 9
  lanza::StreamView view(0);
#elif CASE == 10
  kernel({.block = 1, .stream = nullptr}, buffer);
#elif CASE == 11
  const std::vector<float>& constant = host;
  kernel({.block = 1}, lanza::out(constant));
#elif CASE == 12
  kernel({.block = 1}, lanza::out(std::vector<float>(4)));
#elif CASE == 13
  const lanza::Buffer<double> other = buffer;
#elif CASE == 14
  lanza::Kernel nothing;
#endif
  (void)kernel, (void)host, (void)buffer;
}
