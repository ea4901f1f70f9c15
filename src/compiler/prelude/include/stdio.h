// printf is there without it; user code includes it by habit.
#pragma once
