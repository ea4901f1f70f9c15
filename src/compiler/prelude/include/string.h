// memcpy, memmove and memset are there without it.
#pragma once
