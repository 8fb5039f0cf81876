#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sha256.h"

static void expect_digest(const void *data, size_t size, const char *expected)
{
    char out[65];
    sha256_hex(data, size, out);
    cr_assert_str_eq(out, expected);
}

/* FIPS 180-4 examples and the test vectors of NIST's Cryptographic Standards and Guidelines. */
Test(sha256, published_vectors)
{
    expect_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                  112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    char *million = malloc(1000000);
    cr_assert_not_null(million);
    memset(million, 'a', 1000000);
    expect_digest(million, 1000000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* Lengths around the padding's borders; the expected digests were made with coreutils' sha256sum.
 */
Test(sha256, lengths_around_a_block)
{
    char text[128];
    memset(text, 'a', sizeof text);
    expect_digest(text, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect_digest(text, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    expect_digest(text, 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    expect_digest(text, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    expect_digest(text, 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
    expect_digest(text, 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    expect_digest(text, 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
    expect_digest(text, 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}

/* Wherever the pieces are cut, also inside and at the ends of blocks. */
Test(sha256, pieces_give_what_the_whole_gives)
{
    char text[200], whole[65], pieces[65];
    memset(text, 'b', sizeof text);
    sha256_hex(text, sizeof text, whole);
    for (size_t first = 0; first <= sizeof text; first++)
        for (size_t second = first; second <= sizeof text; second += 13) {
            struct sha256 sha256;
            sha256_begin(&sha256);
            sha256_add(&sha256, text, first);
            sha256_add(&sha256, text + first, second - first);
            sha256_add(&sha256, text + second, sizeof text - second);
            sha256_end(&sha256, pieces);
            cr_assert_str_eq(pieces, whole, "cut at %zu and %zu", first, second);
        }
}
