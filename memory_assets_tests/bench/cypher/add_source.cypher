// A source that statements can be said in.
// mode: write
// params: id, ref, user_id, now
// returns: id
MERGE (s:Source {id: $id, user_id: $user_id})
SET s.ref = $ref,
  s.source_type = 'note',
  s.title = 'A notebook',
  s.path = 'notebook.md',
  s.started_at = datetime($now)
RETURN s.id AS id
