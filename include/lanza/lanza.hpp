// Everything: CUDA C++ from a string, compiled and launched on an NVIDIA GPU or on the CPU.
#pragma once

#include <lanza/arguments.hpp>
#include <lanza/buffer.hpp>
#include <lanza/cache.hpp>
#include <lanza/compile.hpp>
#include <lanza/context.hpp>
#include <lanza/copy.hpp>
#include <lanza/cuda.hpp>
#include <lanza/current.hpp>
#include <lanza/device.hpp>
#include <lanza/diagnosis.hpp>
#include <lanza/dim3.hpp>
#include <lanza/dtype.hpp>
#include <lanza/error.hpp>
#include <lanza/event.hpp>
#include <lanza/host_range.hpp>
#include <lanza/kernel.hpp>
#include <lanza/launch.hpp>
#include <lanza/module.hpp>
#include <lanza/signature.hpp>
#include <lanza/stream.hpp>
