/* What the library search and the cache load in tests. */
int found_answer(void) { return 42; }
