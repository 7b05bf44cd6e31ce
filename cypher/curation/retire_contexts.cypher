// Retire contexts whose source is gone, or no longer the user's to read, or that have expired unread, with an audit. What
// they said can be made again from the source.
// Rails, checked again as it deletes: not `keep_forever`, not core, never accessed; unknown forbids it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:CompressedContext {id: row.id})
WHERE c.user_id = $user_id
  AND @may_retire(c)
@retirement_audit(c)
WITH row, c
DETACH DELETE c
RETURN row.id AS id
