// Set how often curation looks, for the installation.
// mode: write
// params: rows, now
// returns: id
// owner: no, a setting of the installation; no content
UNWIND $rows AS row
MERGE (c:SystemConfig {id: row.id})
SET c.mode = row.mode,
  c.updated_at = datetime($now)
RETURN c.id AS id
