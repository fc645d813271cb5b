// The list of strand models. See strand.c.
#ifndef FIL_STRAND_STRAND_H
#define FIL_STRAND_STRAND_H

#include "base/context.h"
#include "filum/extend.h"

extern const fil_strand_type fil_strand_lifted;

#endif
