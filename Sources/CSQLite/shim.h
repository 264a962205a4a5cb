#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. */
static inline int csqlite_set_checkpoint_on_close(sqlite3 *database, int checkpoints) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, checkpoints ? 0 : 1, (int *)0);
}
