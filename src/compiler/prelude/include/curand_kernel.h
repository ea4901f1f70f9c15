// cuRAND's device side: XORWOW, MRG32k3a, Philox and Sobol's sequences, and their distributions. Integers and uniform
// numbers have cuRAND's bits.
#pragma once
#include <__lanza/random/mrg32k3a.h>
#include <__lanza/random/normal.h>
#include <__lanza/random/philox.h>
#include <__lanza/random/poisson.h>
#include <__lanza/random/sobol.h>
#include <__lanza/random/uniform.h>
#include <__lanza/random/xorwow.h>
