# Writes a C file that holds text files as the table of src/step/live_opencl_text.h:
#     cmake -D OUT=FILE.c -D FILES=a.h|b.cl -P EmbedText.cmake
# As numbers: ISO C promises no string of more than 4095 characters.
string(REPLACE "|" ";" files "${FILES}")
set(texts "")
set(table "")
set(count 0)
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND texts "static const unsigned char text${count}[] = {\n${hex}0};\n")
    string(APPEND table "    {\"${name}\", (const char *)text${count}},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/EmbedText.cmake.
#include \"step/live_opencl_text.h\"

${texts}
const fil_live_opencl_text fil_live_opencl_texts[] = {
${table}};
const int fil_live_opencl_text_count = ${count};
")
