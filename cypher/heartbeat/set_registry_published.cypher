// What was published of a user's registry, its text with it (edits are found by comparison with it), and up to which tasks it reached.
// mode: write
// params: id, user_id, sha256, text, tokens, path, quick_through, deferred_through, now
// returns: id
MATCH (r:HeartbeatTaskRegistry {id: $id, user_id: $user_id})
SET r.sha256 = $sha256,
  r.text = $text,
  r.current_tokens = $tokens,
  r.path = $path,
  r.quick_through = $quick_through,
  r.deferred_through = $deferred_through,
  r.last_sync = datetime($now)
RETURN r.id AS id
