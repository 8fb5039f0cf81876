#include "backend_module.h"

/* A module that has nothing but a name: of this interface, of another (MODULE_INTERFACE), or in
 * need of what no program has (MODULE_NEEDS). */
#ifndef MODULE_INTERFACE
#define MODULE_INTERFACE backend_module_interface()
#endif

int rankledger_backend_interface(void)
{
    return MODULE_INTERFACE;
}

#ifdef MODULE_NEEDS
int test_module_needs_this(void);
#endif

const struct backend_row *rankledger_backend_row(void)
{
    static const struct backend_row row = {.name = "test"};
#ifdef MODULE_NEEDS
    if (test_module_needs_this() != 0)
        return NULL;
#endif
    return &row;
}
