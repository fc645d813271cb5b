// Meshes in files. See mesh.c.
#ifndef FIL_IO_MESH_H
#define FIL_IO_MESH_H

#include "io/curves.h"

// A file in memory; fil_mesh_read and the fuzzer come in here.
fil_status fil_mesh_read_bytes(const fil_curves_input *in, double unit, fil_mesh **out);

#endif
