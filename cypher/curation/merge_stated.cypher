// Which sources make a merged statement: they make the one that it was merged into. Where a source makes both, the latter's
// place counts, and the stronger verdict holds, as of a statement that a source makes twice (entities/policy.py); it is said in the
// turns of both.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (s:Source)-[r:STATES {user_id: $user_id}]->(gone)
MERGE (kept)<-[k:STATES {user_id: $user_id}]-(s)
ON CREATE SET k += properties(r)
WITH row, kept, s, r, k, coalesce(k.turns, [k.turn]) AS known, coalesce(r.turns, [r.turn]) AS more
WITH row, kept, s, r, k, known, [turn IN more WHERE NOT turn IN known] AS others
SET k.turns = CASE WHEN size(others) > 0 THEN known + others ELSE k.turns END,
  k.durability = CASE WHEN coalesce(r.durability, 0.0) > coalesce(k.durability, 0.0) THEN r.durability ELSE k.durability END,
  k.lasting = CASE WHEN r.lasting IS NULL OR r.lasting > k.lasting THEN r.lasting ELSE k.lasting END,
  k.confidence = CASE WHEN coalesce(r.confidence, 0.0) > coalesce(k.confidence, 0.0) THEN r.confidence ELSE k.confidence END,
  k.said_at = CASE WHEN k.said_at IS NULL OR r.said_at > k.said_at THEN r.said_at ELSE k.said_at END,
  k.first_said_at = CASE WHEN r.first_said_at IS NULL OR r.first_said_at < k.first_said_at THEN r.first_said_at
    ELSE k.first_said_at END,
  k.is_instruction = k.is_instruction OR r.is_instruction,
  k.said_by_owner = k.said_by_owner OR r.said_by_owner,
  k.has_personal_data = k.has_personal_data OR r.has_personal_data,
  k.about = coalesce(k.about, []) + [name IN coalesce(r.about, []) WHERE NOT name IN coalesce(k.about, [])]
WITH row, kept, s, r
SET @becomes_untold(kept, true, s.started_at)
@removed_links(row.id, r)
