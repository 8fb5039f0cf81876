# Writes OUTPUT, the C source of the tables that render/template/embedded.h declares, from the files FILES
# (relative to ROOT, separated by "|"). Runs at build time: cmake -DOUTPUT= -DROOT= -DFILES= -P this.
string(REPLACE "|" ";" FILES "${FILES}")
list(SORT FILES)
set(arrays "")
set(rows "")
set(codes "")
set(count 0)
foreach(file IN LISTS FILES)
    file(READ "${ROOT}/${file}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${count}[] = {\n${bytes}\n};\n\n")
    string(APPEND rows "    {\"${file}\", file_${count}, sizeof file_${count}},\n")
    if(file MATCHES "^language/(.*)\\.json$")
        string(APPEND codes "\"${CMAKE_MATCH_1}\", ")
    endif()
    math(EXPR count "${count} + 1")
endforeach()
set(source "/* Written by cmake/embed_files.cmake from templates. */
#include \"embedded.h\"

${arrays}const struct embedded_file embedded_files[] = {
${rows}};
const size_t embedded_file_count = ${count};
const char *const embedded_languages[] = {${codes}NULL};
")
file(WRITE "${OUTPUT}" "${source}")
