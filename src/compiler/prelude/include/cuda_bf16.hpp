// CUDA keeps its definitions here; Lanza's are in cuda_bf16.h.
#pragma once
#include "cuda_bf16.h"
