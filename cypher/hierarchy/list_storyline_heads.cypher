// The storylines a user has, in short: what they were made from, and what they are called.
// mode: read
// params: user_id
// returns: id, anchor_id, title, given_title, fingerprint, embedder, is_dirty
MATCH (t:Storyline {user_id: $user_id})
RETURN t.id AS id, t.anchor_id AS anchor_id, t.title AS title, t.given_title AS given_title,
  t.fingerprint AS fingerprint, t.embedder AS embedder, coalesce(t.is_dirty, false) AS is_dirty
ORDER BY id
