// The kernels of the list by OpenCL.
#include "opencl.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bench {
namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " gave " + std::to_string(status));
}

/// "matmul<16>" is matmul_16 there.
std::string name_of(std::string kernel) {
  if (const auto at = kernel.find('<'); at != std::string::npos)
    kernel = kernel.substr(0, at) + "_" + kernel.substr(at + 1);
  if (!kernel.empty() && kernel.back() == '>') kernel.pop_back();
  return kernel;
}

struct Releases {
  void operator()(cl_context x) const { clReleaseContext(x); }
  void operator()(cl_command_queue x) const { clReleaseCommandQueue(x); }
  void operator()(cl_program x) const { clReleaseProgram(x); }
  void operator()(cl_kernel x) const { clReleaseKernel(x); }
  void operator()(cl_mem x) const { clReleaseMemObject(x); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Releases>;

class Device : public OpenCl {
 public:
  Device(cl_device_id device, const std::string& source_file) {
    cl_int status = 0;
    context_.reset(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    queue_.reset(clCreateCommandQueue(context_.get(), device, 0, &status));
    check(status, "clCreateCommandQueue");
    std::ifstream file(source_file);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    const char* text = source.c_str();
    program_.reset(clCreateProgramWithSource(context_.get(), 1, &text, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_.get(), 1, &device, "-cl-mad-enable", nullptr, nullptr), "clBuildProgram");
  }

  std::function<void()> runner(const Case& c) override {
    cl_int status = 0;
    auto kernel = std::shared_ptr<std::remove_pointer_t<cl_kernel>>(
        clCreateKernel(program_.get(), name_of(c.about.kernel).c_str(), &status), [](cl_kernel k) {
          if (k) clReleaseKernel(k);
        });
    if (status == CL_INVALID_KERNEL_NAME) return {};
    check(status, "clCreateKernel");
    auto buffers = std::make_shared<std::vector<Owned<cl_mem>>>();
    for (cl_uint i = 0; i < c.memory.size(); ++i) set(kernel.get(), i, c.memory[i], *buffers);
    return [this, &c, kernel, buffers] { run(c, kernel.get()); };
  }

 private:
  // Shared with the kernel of Lanza: neither copies.
  void set(cl_kernel kernel, cl_uint index, const Memory& memory, std::vector<Owned<cl_mem>>& buffers) {
    if (!memory.is_array) return check(clSetKernelArg(kernel, index, memory.bytes, memory.address), "clSetKernelArg");
    cl_int status = 0;
    cl_mem buffer =
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.bytes, memory.address, &status);
    check(status, "clCreateBuffer");
    buffers.emplace_back(buffer);
    check(clSetKernelArg(kernel, index, sizeof buffer, &buffer), "clSetKernelArg");
  }

  void run(const Case& c, cl_kernel kernel) {
    const auto& [name, goal, file, symbol, grid, block, twin, units, tolerance, launches, shared] = c.about;
    const std::size_t local[3] = {block.x, block.y, block.z};
    const std::size_t global[3] = {grid.x * local[0], grid.y * local[1], grid.z * local[2]};
    for (int i = 0; i < launches; ++i) {
      for (cl_uint k = 0; k < c.memory.size(); ++k)
        if (c.memory[k].is_number) check(clSetKernelArg(kernel, k, sizeof i, &i), "clSetKernelArg");
      check(clEnqueueNDRangeKernel(queue_.get(), kernel, 3, nullptr, global, local, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    }
    check(clFinish(queue_.get()), "clFinish");
  }

  Owned<cl_context> context_;
  Owned<cl_command_queue> queue_;
  Owned<cl_program> program_;
};

}  // namespace

std::unique_ptr<OpenCl> OpenCl::make(const std::string& source_file, int threads) {
  setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 1);  // before it looks for devices
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < std::min(count, 8u); ++i) {
    cl_device_id device;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return std::make_unique<Device>(device, source_file);
  }
  return nullptr;
}

}  // namespace bench
