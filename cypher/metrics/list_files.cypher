// What the manifests of a user's files say of their size (000, File-based memory efficiency).
// mode: read
// params: user_id
// returns: path, tokens, limits, sizes, entries
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
RETURN b.path AS path,
  b.current_tokens AS tokens,
  b.limits AS limits,
  b.sizes AS sizes,
  b.entries AS entries
ORDER BY path
