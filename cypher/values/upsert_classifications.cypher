// Write classifications and hang each on its memory. The memory may be a team's: its owner is in the row.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id, user_id: row.memory_owner})
MERGE (vc:ValueClassification {id: row.id, user_id: $user_id})
ON CREATE SET vc.created_at = datetime($now)
SET vc.memory_id = row.memory_id,
    vc.entity_type = row.entity_type,
    vc.retention_score = row.retention_score,
    vc.uniqueness_score = row.uniqueness_score,
    vc.confidence_score = row.confidence_score,
    vc.access_frequency = row.access_frequency,
    vc.recency_score = row.recency_score,
    vc.value_score = row.value_score,
    vc.retention_tier = row.retention_tier,
    vc.section = row.section,
    vc.is_standing = row.is_standing,
    vc.occurred_at = CASE WHEN row.occurred_at IS NULL THEN null ELSE datetime(row.occurred_at) END,
    vc.rank_key = row.rank_key,
    vc.standing_key = row.standing_key,
    vc.rescore_key = row.rescore_key,
    vc.fingerprint = row.fingerprint,
    vc.updated_at = datetime($now)
MERGE (m)-[:HAS_VALUE]->(vc)
RETURN vc.id AS id
