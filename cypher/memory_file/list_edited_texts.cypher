// What edits have decided about a user's memories, for the choice of a file: whether each is out, or has its editor's authority,
// and what its line said before and says now.
// mode: read
// params: user_id
// returns: memory_id, is_out, is_written, published_text, edited_text
MATCH (e:Decision {user_id: $user_id, kind: 'edit'})
RETURN e.memory_id AS memory_id,
  coalesce(e.is_out, false) AS is_out,
  e.action IN ['added', 'restored'] OR (e.action IN ['vanished', 'dismissed'] AND coalesce(e.action_before, '') IN ['added', 'restored']) AS is_written,
  e.published_text AS published_text,
  e.edited_text AS edited_text
ORDER BY memory_id
