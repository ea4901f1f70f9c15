// The streams of one context, and the order between its default stream and the others.
#include "backend/cpu/stream_group.hpp"

#include <algorithm>
#include <utility>

#include "backend/cpu/wait_task.hpp"

namespace lanza::executor {

void StreamGroup::add(std::shared_ptr<StreamQueue> queue, StreamKind kind) {
  std::lock_guard lock(mutex_);
  if (kind == StreamKind::Default) default_ = queue->progress();
  members_.push_back({std::move(queue), kind});
  if (kind == StreamKind::Blocking) ++blocking_;
}

void StreamGroup::remove(const StreamQueue& queue) noexcept {
  std::lock_guard lock(mutex_);
  const auto member =
      std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.queue.get() == &queue; });
  if (member == members_.end()) return;
  if (member->kind == StreamKind::Blocking) --blocking_;
  members_.erase(member);
}

std::pair<std::shared_ptr<StreamQueue>, StreamKind> StreamGroup::find(std::uintptr_t handle) {
  std::lock_guard lock(mutex_);
  for (const auto& [queue, kind] : members_) {
    if (reinterpret_cast<std::uintptr_t>(queue.get()) == handle) return {queue, kind};
  }
  return {nullptr, StreamKind::NonBlocking};
}

std::vector<std::shared_ptr<StreamQueue>> StreamGroup::all() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<StreamQueue>> queues;
  for (const auto& member : members_) queues.push_back(member.queue);
  return queues;
}

StreamGroup::Marks StreamGroup::before(StreamKind kind) {
  Marks marks;
  const auto add = [&](const std::shared_ptr<Progress>& progress) {
    if (!progress->idle()) marks.emplace_back(progress, progress->submitted());
  };
  if (kind == StreamKind::Blocking) {
    add(default_);
  } else if (kind == StreamKind::Default && blocking_.load(std::memory_order_acquire) != 0) {
    std::lock_guard lock(mutex_);
    for (const auto& member : members_) {
      if (member.kind == StreamKind::Blocking) add(member.queue->progress());
    }
  }
  return marks;
}

void StreamGroup::order(StreamQueue& queue, StreamKind kind) {
  for (auto& [progress, count] : before(kind)) queue.push(std::make_shared<WaitTask>(std::move(progress), count));
}

}  // namespace lanza::executor
