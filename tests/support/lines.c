/* A library whose lines line_table_test knows. */
int first(int x) { return x * 3; }
#line 1000 "elsewhere.c"
int second(int x) { return x / 7; }
