// The files that a user has added, by path.
// mode: read
// params: user_id
// returns: path, kind, project, preset, tokens, lines, bytes, characters, added_at
MATCH (f:MemoryFile {user_id: $user_id})
RETURN f.path AS path,
  f.kind AS kind,
  f.project AS project,
  f.preset AS preset,
  f.tokens AS tokens,
  f.lines AS lines,
  f.bytes AS bytes,
  f.characters AS characters,
  f.added_at AS added_at
ORDER BY path
