// From when to when statements hold, by what supersedes them, and what they are heirs of: a later statement is worth what
// it was worth to know what held before. Of those that were
// judged the turn is over, unless they wait for a model.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
OPTIONAL MATCH (c)<-[r:SUPERSEDES {user_id: $user_id}]-(later:KnowledgeChunk)
WITH row, c,
  max(CASE r.outdated WHEN 'wholly' THEN 3 WHEN 'in part' THEN 2 WHEN 'perhaps' THEN 1 ELSE 0 END) AS degree,
  min(CASE WHEN r.outdated = 'wholly' THEN r.since END) AS valid_to,
  max(r.since + ' ' + later.ref + ' ' + r.lost) AS change
OPTIONAL MATCH (c)-[s:SUPERSEDES {user_id: $user_id}]->(e:KnowledgeChunk)
WITH row, c, degree, valid_to, change, max(CASE WHEN s.outdated <> 'perhaps' THEN e.durability END) AS inherits
OPTIONAL MATCH (c)-[x:CONTRADICTS {user_id: $user_id}]-(:KnowledgeChunk)
WITH row, c, valid_to, change, inherits, count(x) AS disputes,
  CASE degree WHEN 3 THEN 'wholly' WHEN 2 THEN 'in part' WHEN 1 THEN 'perhaps' ELSE null END AS outdated
WITH row, c, valid_to, change, inherits, disputes, outdated,
  coalesce(c.outdated, '') <> coalesce(outdated, '') AS is_other, datetime('9999-12-31T00:00:00Z') AS no_day
SET @becomes_untold(c, is_other, no_day),
  c.valid_from = c.occurred_at,
  c.valid_to = CASE WHEN valid_to IS NULL THEN null ELSE datetime(valid_to) END,
  c.outdated = outdated,
  c.inherits = inherits,
  c.change = change,
  c.is_disputed = CASE WHEN disputes > 0 THEN true ELSE null END,
  c.unscored = $user_id,
  c.unjudged = CASE WHEN row.waits THEN $user_id WHEN row.is_judged THEN null ELSE c.unjudged END
RETURN c.id AS id
