// The draft of one of a user's files, whole.
// mode: read
// params: user_id, id
// returns: text, sha256, entries, sections, left_out, composition, tokens, considered, fingerprint, changes_at
MATCH (d:MemoryDraft {id: $id, user_id: $user_id})
RETURN d.text AS text,
  d.sha256 AS sha256,
  d.entries AS entries,
  d.sections AS sections,
  d.left_out AS left_out,
  d.composition AS composition,
  d.tokens AS tokens,
  d.considered AS considered,
  d.fingerprint AS fingerprint,
  d.changes_at AS changes_at
