# Writes OUTPUT, the C source of the table that render/texts_builtin.h declares, from the language
# files FILES (separated by "|"). Runs at build time: cmake -DOUTPUT=... -DFILES=... -P this.
string(REPLACE "|" ";" FILES "${FILES}")
list(SORT FILES)
set(arrays "")
set(rows "")
set(codes "")
set(count 0)
foreach(file IN LISTS FILES)
    get_filename_component(code "${file}" NAME_WE)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char language_${count}[] = {\n${bytes}\n};\n\n")
    string(APPEND rows "    {\"${code}\", language_${count}, sizeof language_${count}},\n")
    string(APPEND codes "\"${code}\", ")
    math(EXPR count "${count} + 1")
endforeach()
set(source "/* Written by cmake/embed_languages.cmake from templates/language. */
#include \"texts_builtin.h\"

${arrays}const struct texts_builtin_language texts_builtin_languages[] = {
${rows}};
const size_t texts_builtin_language_count = ${count};
const char *const texts_builtin_codes[] = {${codes}NULL};
")
file(WRITE "${OUTPUT}" "${source}")
