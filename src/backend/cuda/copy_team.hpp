// Copies host memory with several threads: one core moves less than the bus to a GPU takes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace lanza::cuda_backend {

/// The threads start at the first copy and sleep between copies. One copy at a time: the owner locks.
class CopyTeam {
 public:
  CopyTeam() = default;
  ~CopyTeam();
  CopyTeam(const CopyTeam&) = delete;
  CopyTeam& operator=(const CopyTeam&) = delete;

  void copy(void* destination, const void* source, std::size_t bytes);

 private:
  void start();
  void work(unsigned index);
  void copy_part(unsigned index) const;

  char* destination_ = nullptr;
  const char* source_ = nullptr;
  std::size_t bytes_ = 0, part_ = 0;
  std::atomic<std::uint32_t> generation_{0}, remaining_{0};
  std::atomic<bool> stop_{false};
  bool started_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace lanza::cuda_backend
