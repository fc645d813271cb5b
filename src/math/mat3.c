// Elimination with pivoting for 3×3 matrices: the careful versions; the fast ones are inline in the header.
#include "math/mat3.h"

static double largest_entry(const double M[9])
{
    double largest = 0;
    for (int k = 0; k < 9; ++k) {
        double size = fabs(M[k]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

int fil_mat3_solve_pivoted(const double M[9], const double y[3], double small, double x[3])
{
    double a[3][4];
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            a[i][j] = M[i + 3 * j];
        a[i][3] = y[i];
    }
    double threshold = small * largest_entry(M);
    int rank = 0;
    for (; rank < 3; ++rank) {
        // The largest entry of what is left becomes the pivot.
        int row = rank, column = rank;
        for (int i = rank; i < 3; ++i)
            for (int j = rank; j < 3; ++j)
                if (fabs(a[i][j]) > fabs(a[row][column])) {
                    row = i;
                    column = j;
                }
        if (!(fabs(a[row][column]) > threshold))
            break;
        for (int j = 0; j < 4; ++j) {
            double swap = a[row][j];
            a[row][j] = a[rank][j];
            a[rank][j] = swap;
        }
        for (int i = 0; i < 3; ++i) {
            double swap = a[i][column];
            a[i][column] = a[i][rank];
            a[i][rank] = swap;
        }
        int swap = order[column];
        order[column] = order[rank];
        order[rank] = swap;
        for (int i = rank + 1; i < 3; ++i) {
            double factor = a[i][rank] / a[rank][rank];
            for (int j = rank; j < 4; ++j)
                a[i][j] -= factor * a[rank][j];
        }
    }
    double z[3] = {0, 0, 0};
    for (int i = rank - 1; i >= 0; --i) {
        double sum = a[i][3];
        for (int j = i + 1; j < rank; ++j)
            sum -= a[i][j] * z[j];
        z[i] = sum / a[i][i];
    }
    for (int i = 0; i < 3; ++i)
        x[order[i]] = z[i];
    return rank;
}

bool fil_mat3_invert(double M[9], double small)
{
    double threshold = small * largest_entry(M);
    int pivot_row[3];
    for (int k = 0; k < 3; ++k) {
        int row = k;
        for (int i = k + 1; i < 3; ++i)
            if (fabs(M[i + 3 * k]) > fabs(M[row + 3 * k]))
                row = i;
        if (!(fabs(M[row + 3 * k]) > threshold))
            return false;
        pivot_row[k] = row;
        for (int j = 0; j < 3; ++j) {
            double swap = M[row + 3 * j];
            M[row + 3 * j] = M[k + 3 * j];
            M[k + 3 * j] = swap;
        }
        // Gauss-Jordan: column k becomes column k of the inverse so far.
        double inverse = 1 / M[k + 3 * k];
        M[k + 3 * k] = 1;
        for (int j = 0; j < 3; ++j)
            M[k + 3 * j] *= inverse;
        for (int i = 0; i < 3; ++i) {
            if (i == k)
                continue;
            double factor = M[i + 3 * k];
            M[i + 3 * k] = 0;
            for (int j = 0; j < 3; ++j)
                M[i + 3 * j] -= factor * M[k + 3 * j];
        }
    }
    for (int k = 2; k >= 0; --k)
        for (int i = 0; i < 3; ++i) {
            double swap = M[i + 3 * k];
            M[i + 3 * k] = M[i + 3 * pivot_row[k]];
            M[i + 3 * pivot_row[k]] = swap;
        }
    return true;
}
