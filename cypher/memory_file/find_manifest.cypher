// The manifests of a user's files, one each, the default's first: what was published, from what, and why so.
// mode: read
// params: user_id
// returns: id, is_default, path, limits, sizes, preset, sha256, version, current_tokens, max_tokens, considered, inputs_fingerprint, entries, sections, left_out, composition, generated_at
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
RETURN b.id AS id,
  b.is_default AS is_default,
  b.path AS path,
  b.limits AS limits,
  b.sizes AS sizes,
  b.preset AS preset,
  b.sha256 AS sha256,
  b.version AS version,
  b.current_tokens AS current_tokens,
  b.max_tokens AS max_tokens,
  b.considered AS considered,
  b.inputs_fingerprint AS inputs_fingerprint,
  b.entries AS entries,
  b.sections AS sections,
  b.left_out AS left_out,
  b.composition AS composition,
  b.generated_at AS generated_at
ORDER BY is_default DESC, path
