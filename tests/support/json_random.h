#ifndef RANKLEDGER_JSON_RANDOM_H
#define RANKLEDGER_JSON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Random JSON documents and damaged ones, the same for the same seed. */
struct json_random {
    uint64_t state; /* the seed */
    char text[8192];
    size_t size;
};

/* A number below `limit`. */
size_t json_random_below(struct json_random *random, size_t limit);

/* Replaces the text by a document: well-formed, but with whatever the contract refuses (duplicate
 * names, lone surrogates, NUL, numbers out of range). */
void json_random_document(struct json_random *random);

/* Damages the text in one to four places. */
void json_random_damage(struct json_random *random);

#endif
