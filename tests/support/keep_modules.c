/*
 * Linked into what the sanitizer builds of programs with MPI: Open MPI unloads its modules when it
 * ends, and a leak in code that is gone has no name by which tests/support/leaks_of_others.supp
 * could tell it from one of ours. So nothing is unloaded.
 */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
