// Device code needs nothing of it: the prelude is always there.
#pragma once
