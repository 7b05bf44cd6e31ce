// Replace the draft of one of a user's files.
// mode: write
// params: id, user_id, path, limits, text, sha256, entries, sections, left_out, composition, tokens, considered, fingerprint, changes_at, now
// returns: id
MERGE (d:MemoryDraft {id: $id, user_id: $user_id})
ON CREATE SET d.created_at = datetime($now)
SET d.path = $path,
    d.limits = $limits,
    d.text = $text,
    d.sha256 = $sha256,
    d.entries = $entries,
    d.sections = $sections,
    d.left_out = $left_out,
    d.composition = $composition,
    d.tokens = $tokens,
    d.considered = $considered,
    d.fingerprint = $fingerprint,
    d.changes_at = datetime($changes_at),
    d.updated_at = datetime($now)
RETURN d.id AS id
