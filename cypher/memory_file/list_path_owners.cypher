// Whose file is at a path, among those that were added.
// mode: read
// params: path
// returns: user_id
// owner: no (a path has one owner in the whole installation; no content)
MATCH (f:MemoryFile {path: $path})
RETURN f.user_id AS user_id
