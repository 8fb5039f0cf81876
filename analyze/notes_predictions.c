#include "notes_predictions.h"

#include <string.h>

#include "message_table.h"
#include "planner.h"

static bool any(const struct action *actions, size_t count, const char *basis)
{
    for (size_t i = 0; i < count; i++)
        if (actions[i].basis != NULL && strcmp(actions[i].basis, basis) == 0)
            return true;
    return false;
}

enum status notes_predictions_add(const struct action *actions, size_t count, struct arena *arena,
                                  struct message_list *notes, struct diag *diag)
{
    static const struct {
        enum planner_basis basis;
        const char *id;
    } rows[] = {{PLANNER_EXACT, "note.predicted_exact"},
                {PLANNER_AT_MOST, "note.predicted_at_most"},
                {PLANNER_DEVICE, "note.predicted_device"},
                {PLANNER_SCALED, "note.predicted_estimated"}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == STATUS_OK; i++)
        if (any(actions, count, planner_basis_name(rows[i].basis)))
            status = message_table_add(notes, arena, rows[i].id, NULL, 0, diag);
    return status;
}
