// Which schema migrations this graph has seen.
// mode: read
// params: -
// returns: version, name, checksum, applied_at
// owner: no, infrastructure of the whole graph
MATCH (m:Migration)
RETURN m.version AS version, m.name AS name, m.checksum AS checksum, m.applied_at AS applied_at
ORDER BY version
