// malloc, free, abs and abort are there without it.
#pragma once
