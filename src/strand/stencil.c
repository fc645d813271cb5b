// The exact filter of a stencil: negative eigenvalues of the matrix of its vertices become zero.
//
// Edges are differences of vertices, D x, and a displacement of all vertices alike changes nothing. With D Dᵀ = C Cᵀ
// (Cholesky) the columns of Dᵀ C⁻ᵀ are an orthonormal basis of the displacements that are no translation, and C takes
// coordinates in it to edges. So Cᵀ K C is clamped, of size 6 for two edges and 9 for three, and the result is the same
// as that of a clamp of the 9×9 or 12×12 matrix of the vertices.
#include "strand/stencil.h"

#include "math/semidefinite.h"

#include <stdbool.h>

// K <- Tᵀ K T for a matrix of 3×3 blocks, T a lower triangle of numbers.
static void congruence(int edges, double T[3][3], fil_v4 *K)
{
    int n = 3 * edges;
    for (int turn = 0; turn < 2; ++turn)
        for (int i = 0; i < n; ++i)
            for (int c = 0; c < 3; ++c) {
                fil_v4 line[3];
                for (int b = 0; b < edges; ++b) {
                    line[b] = fil_v4_all(0);
                    for (int a = b; a < edges; ++a)
                        line[b] += T[a][b] * (turn == 0 ? K[n * i + 3 * a + c] : K[n * (3 * a + c) + i]);
                }
                for (int b = 0; b < edges; ++b)
                    K[turn == 0 ? n * i + 3 * b + c : n * (3 * b + c) + i] = line[b];
            }
}

// Between blocks and one matrix.
static void copy(int edges, fil_stencil *blocks, fil_v4 *K, bool out)
{
    int n = 3 * edges;
    fil_v4 *same[3] = {blocks->ee, blocks->ff, blocks->gg};
    fil_v4 *other[3][3] = {{NULL, blocks->ef, blocks->eg}, {NULL, NULL, blocks->fg}, {NULL, NULL, NULL}};
    for (int a = 0; a < edges; ++a)
        for (int b = a; b < edges; ++b)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    fil_v4 *place = a == b ? &same[a][fil_stencil_place[r][c]] : &other[a][b][3 * r + c];
                    if (out)
                        *place = K[n * (3 * a + r) + 3 * b + c];
                    else
                        K[n * (3 * a + r) + 3 * b + c] = K[n * (3 * b + c) + 3 * a + r] = *place;
                }
}

void fil_stencil_clamp(int edges, fil_stencil *blocks)
{
    int n = 3 * edges;
    double a = sqrt(0.5), b = sqrt(1.5), c = sqrt(4.0 / 3);
    double to[3][3] = {{2 * a, 0, 0}, {-a, b, 0}, {0, -1 / b, c}};
    double back[3][3] = {{a, 0, 0}, {0.5 / b, 1 / b, 0}, {0.5 * a / b, 1 / (b * b * c), 1 / c}};
    fil_v4 K[FIL_SEMIDEFINITE_MAX * FIL_SEMIDEFINITE_MAX];
    copy(edges, blocks, K, false);
    congruence(edges, to, K);
    for (int i = 0; i < n; ++i) // equal to the last digit, so that lanes do not see each other
        for (int j = 0; j < i; ++j)
            K[n * i + j] = K[n * j + i];
    fil_semidefinite_clamp(n, K);
    congruence(edges, back, K);
    copy(edges, blocks, K, true);
}
