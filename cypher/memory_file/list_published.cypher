// The paths of these users' files, and the digest of what was published there.
// mode: read
// params: user_ids
// returns: user_id, path, sha256, published_at
MATCH (b:BoundedMemoryManifest)
WHERE b.user_id IN $user_ids
RETURN b.user_id AS user_id, b.path AS path, b.sha256 AS sha256, b.generated_at AS published_at
ORDER BY user_id, path
