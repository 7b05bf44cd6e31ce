// The files of these owners that could not be read, and why.
// mode: read
// params: user_ids
// returns: id, owner, path, kind, reason
MATCH (f:SourceFile)
WHERE f.user_id IN $user_ids AND f.status = 'set_aside'
RETURN f.id AS id, f.user_id AS owner, f.path AS path, f.kind AS kind, f.reason AS reason
ORDER BY owner, path
