// Record files of the schema as applied in the state that they have.
// mode: write
// params: rows
// returns: id
// owner: no, infrastructure of the whole graph
UNWIND $rows AS row
MERGE (m:Migration {id: row.id})
SET m.name = row.name,
  m.checksum = row.checksum,
  m.applied_at = datetime(row.applied_at)
RETURN m.id AS id
