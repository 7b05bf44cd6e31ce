// The texts of the given sources, those of $user_id and what of the owners in $user_ids the user may read: an
// export holds them as properties of their sources. $originals: with what was masked, where it was stored.
// mode: read
// params: ids, user_id, user_ids, originals
// returns: id, kind, text
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})-[r:HAS_RAW_CONTENT|HAS_ORIGINAL_CONTENT|HAS_CONTENT|HAS_TURNS]->(t:SourceText)
WHERE s.user_id IN $user_ids
  AND (s.user_id = $user_id OR @is_open_to(s.readers, $user_ids))
  AND ($originals OR type(r) <> 'HAS_ORIGINAL_CONTENT')
RETURN s.id AS id, t.kind AS kind, t.text AS text
ORDER BY id, kind
