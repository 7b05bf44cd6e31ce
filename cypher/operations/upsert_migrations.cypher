// Record schema migrations as applied; the first record of a version stands.
// mode: write
// params: rows
// returns: id
// owner: no, infrastructure of the whole graph
UNWIND $rows AS row
MERGE (m:Migration {id: row.id})
ON CREATE SET
  m.version = row.version,
  m.name = row.name,
  m.checksum = row.checksum,
  m.applied_at = datetime(row.applied_at)
RETURN m.id AS id
