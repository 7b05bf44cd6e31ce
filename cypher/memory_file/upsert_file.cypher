// Add a file to a user's, or give it another ceiling, or another project: what is null is not limited.
// mode: write
// params: id, user_id, path, kind, project, preset, tokens, lines, bytes, characters, now
// returns: id
MERGE (f:MemoryFile {id: $id, user_id: $user_id})
ON CREATE SET f.added_at = datetime($now)
SET f.path = $path,
    f.kind = $kind,
    f.project = $project,
    f.preset = $preset,
    f.tokens = $tokens,
    f.lines = $lines,
    f.bytes = $bytes,
    f.characters = $characters
RETURN f.id AS id
