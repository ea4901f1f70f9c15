// Stands for the headers of which the toolkit's curand_kernel.h is made.
#pragma once
#include <curand_kernel.h>
