// A source by itself.
// mode: read
// params: user_ids, memory_id
// returns: id, kind, title, path, occurred_at, excerpt
MATCH (s:Source {id: $memory_id})
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN @shown_source(s)
