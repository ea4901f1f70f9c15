// assert is there without it, and obeys NDEBUG where it is used.
#pragma once
