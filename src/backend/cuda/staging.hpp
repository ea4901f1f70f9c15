// Large copies between pageable host memory and the device, through a ring of page-locked chunks: while one chunk
// crosses the bus, the next is filled.
#pragma once

#include <array>
#include <mutex>

#include "backend/cuda/copy_team.hpp"
#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

class Context;

/// Called with the context current. Thread-safe.
class Staging {
 public:
  /// From here on the ring beats the driver's own way of copying pageable memory.
  static constexpr std::size_t worthwhile = std::size_t{8} << 20;

  explicit Staging(Context&);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// The source may be changed when this returns.
  void to_device(CUdeviceptr destination, const void* source, std::size_t bytes, CUstream);
  /// The destination is complete when this returns.
  void to_host(void* destination, CUdeviceptr source, std::size_t bytes, CUstream);

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20, chunk_count = 4;
  struct Chunk {
    void* memory = nullptr;
    CUevent event = nullptr;
    bool in_flight = false;
  };

  void prepare();
  void wait(Chunk&);
  Chunk& chunk(std::size_t index) { return ring_[index % chunk_count]; }

  Context& context_;
  std::mutex mutex_;
  std::array<Chunk, chunk_count> ring_;
  std::size_t next_ = 0;
  bool ready_ = false;
  CopyTeam team_;
};

}  // namespace lanza::cuda_backend
