// The mathematical functions are there without it.
#pragma once
