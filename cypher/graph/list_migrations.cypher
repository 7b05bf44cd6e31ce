// Which files of the schema this graph has seen, and in which state.
// mode: read
// params: -
// returns: name, checksum, applied_at
// owner: no, infrastructure of the whole graph
MATCH (m:Migration)
RETURN m.name AS name, m.checksum AS checksum, m.applied_at AS applied_at
ORDER BY name
