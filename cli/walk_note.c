#include "walk_note.h"

#include <stdio.h>

void walk_note_print(size_t directory_links)
{
    if (directory_links > 0)
        fprintf(stderr,
                "rankledger: note: %zu link%s to %s not followed: name what shall be read\n",
                directory_links, directory_links == 1 ? "" : "s",
                directory_links == 1 ? "a directory was" : "directories were");
}
