/* A library with nothing in it: stands where a driver's would (module_loads.py). */
extern const int empty_library_nothing;
const int empty_library_nothing = 0;
