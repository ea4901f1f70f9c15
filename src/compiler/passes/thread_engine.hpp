// Kernels as coroutines: every CUDA thread one, every synchronisation point a suspend.
#pragma once
