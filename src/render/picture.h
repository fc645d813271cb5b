// Pictures of strands: Embree curves with hair shading. See picture.c.
#ifndef FIL_RENDER_PICTURE_H
#define FIL_RENDER_PICTURE_H

#include "base/context.h"

// Triangles of a body, one colour. Positions in metres.
typedef struct fil_picture_mesh {
    int vertex_count, triangle_count;
    const double *position; // [3 vertices]
    const int *triangle;    // [3 triangles]
    float colour[3];        // 0 to 1, linear
} fil_picture_mesh;

// Strands, one after another.
typedef struct fil_picture_hair {
    int strand_count;
    const int *vertex_count; // [strands]
    const double *position;  // [3 vertices]
    const double *radius;    // [vertices], or NULL: `thickness` for all
    double thickness;        // m, radius where none is given
    const float *colour;     // [3 vertices] linear, or NULL: `tint` for all, varied a little by strand
    float tint[3];
    int copies;          // hairs drawn for each strand, scattered around it: 1 draws the strand alone
    double spread;       // m, how far copies scatter
    const float *normal; // [3 strands] which way their scatter is turned at the root, or NULL: any. In a film it goes
                         // with the root, or copies would jump
} fil_picture_hair;

typedef struct fil_picture_box {
    double low[3], high[3];
} fil_picture_box;

typedef struct fil_picture_camera {
    double eye[3], target[3], up[3];
    double angle; // degrees, vertical field of view
} fil_picture_camera;

typedef struct fil_picture {
    int width, height;
    int samples; // per pixel
    const fil_picture_hair *hairs;
    int hair_count;
    const fil_picture_mesh *meshes;
    int mesh_count;
    bool ground;                  // a plane below everything that catches shadows
    const fil_picture_box *space; // "everything"; NULL: what is drawn. In a film it stays the same, and so the ground
    double up[3];                 // which way is up, for ground and light
    fil_picture_camera camera;
    bool (*progress)(void *user, double fraction); // may be NULL; false cancels: the rest stays black
    void *user;
} fil_picture;

fil_picture fil_picture_default(void); // 960 × 720, y up, everything else empty
// A camera with the angle that is set, from which all of it fills the picture.
void fil_picture_frame(fil_picture *picture);

// The same for many pictures with one camera: first the box around all of them, then aim at each of them.
typedef struct fil_f3 {
    float x, y, z;
} fil_f3;
typedef struct fil_picture_aim {
    fil_f3 right, top, back, up, centre;
    float tangent[2], reach[4], nearest; // see picture_camera.c
    double angle;
} fil_picture_aim;
fil_picture_box fil_picture_bounds(const fil_picture *picture);
fil_picture_aim fil_picture_aim_at(const fil_picture_box *box, const fil_picture *picture);
void fil_picture_aim_add(fil_picture_aim *aim, const fil_picture *picture);
void fil_picture_aim_end(const fil_picture_aim *aim, fil_picture_camera *camera);

// 3 bytes per pixel, top row first, sRGB. The same bits on any number of threads. FIL_UNAVAILABLE: built without
// Embree.
fil_status fil_picture_render(fil_context *context, const fil_picture *picture, unsigned char *pixels);
// Written whole or not at all.
fil_status fil_picture_write_png(fil_context *context, const char *path, int width, int height,
                                 const unsigned char *pixels);

#endif
