# The C core without R, for the scripts that compile it: what to compile, its tests, and how to
# include and link.
core_sources="$(ls src/*.c | grep -v -e /binding -e /init.c) tests/core/stubs.c"
core_tests=$(ls tests/core/*.c | grep -v -e /stubs.c -e /fuzz.c -e /lapack.c)
core_includes="-Isrc $(R CMD config --cppflags)"
core_libraries="-llapack -lblas -lm"
