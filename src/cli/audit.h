// filum audit. See audit.c, audit_output.c.
#ifndef FIL_CLI_AUDIT_H
#define FIL_CLI_AUDIT_H

#include "cli/report.h"
#include "validate/audit.h"

extern const fil_command fil_command_audit;

// A folder under audit.
typedef struct fil_audit_job {
    const char *folder;
    fil_cache *cache;
    fil_film *film;
    fil_audit *audit;
    fil_audit_def def;
    fil_audit_report report;
} fil_audit_job;

void fil_audit_print(const fil_audit_job *job);
json_t *fil_audit_json(const fil_audit_job *job);

#endif
