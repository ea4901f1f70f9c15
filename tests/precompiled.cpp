// A program for the sake of tests/precompiled.hpp, which all others take from it.
int main() { return 0; }
