// The texts that OpenCL compiles, by the names of their files. cmake/EmbedText.cmake makes the table from the files.
#ifndef FIL_STEP_LIVE_OPENCL_TEXT_H
#define FIL_STEP_LIVE_OPENCL_TEXT_H

typedef struct fil_live_opencl_text {
    const char *name, *text;
} fil_live_opencl_text;

extern const fil_live_opencl_text fil_live_opencl_texts[];
extern const int fil_live_opencl_text_count;

#endif
