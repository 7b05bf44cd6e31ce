// What curation decides by, of some memories of a user: what is stored of each, and what refers to it. Not tombstones. A dry run
// names what refers to nothing any more: what it has pruned or removed (gone), removed alone, and archived.
// mode: read
// params: user_id, ids, gone, removed, archived
// returns: id, kind, ref, agent, text, state, version, ttl_policy, is_owner, tier, tiered_at, budgeted_at, token_count, created_at, changed_at, last_accessed_at, recent_accesses, access_count, accessed_by, archived_at, restored_at, confidence, stated_confidence, confirmed_at, status, is_read, is_critical, active, consolidated, needs_consolidation, severity, has_source, relationships, agent_references, is_believed, is_recommended_on, is_learned_from, is_in_session, is_in_work
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND @is_living(m)
RETURN m.id AS id,
  head([label IN labels(m) WHERE label <> 'Memory']) AS kind,
  m.ref AS ref,
  m.agent AS agent,
  coalesce(m.title + ': ', '') + coalesce(m.text, m.summary, m.canonical_name, '') AS text,
  m.state AS state,
  m.version AS version,
  m.ttl_policy AS ttl_policy,
  m.is_owner AS is_owner,
  m.tier AS tier,
  m.tiered_at AS tiered_at,
  m.budgeted_at AS budgeted_at,
  m.token_count AS token_count,
  m.created_at AS created_at,
  m.changed_at AS changed_at,
  m.last_accessed_at AS last_accessed_at,
  m.recent_accesses AS recent_accesses,
  m.access_count AS access_count,
  m.accessed_by AS accessed_by,
  m.archived_at AS archived_at,
  m.restored_at AS restored_at,
  m.confidence AS confidence,
  m.stated_confidence AS stated_confidence,
  m.confirmed_at AS confirmed_at,
  m.status AS status,
  m.is_read AS is_read,
  m.is_critical AS is_critical,
  m.active AS active,
  m.consolidated AS consolidated,
  m.needs_consolidation AS needs_consolidation,
  m.severity AS severity,
  EXISTS { MATCH (m)-[:RECORDED_IN]->(s:Source) WHERE @source_in_use(s) } AS has_source,
  COUNT { MATCH (m)-[r]-(o:Memory) WHERE type(r) <> 'RECORDED_IN' AND NOT o.id IN $removed } AS relationships,
  @agent_references(m, $gone) AS agent_references,
  EXISTS {
    MATCH (m)<-[:REFERS_TO]-(b:Belief)
    WHERE b.state = 'active' AND b.tombstone IS NULL AND NOT b.id IN $gone AND NOT b.id IN $archived
  } AS is_believed,
  EXISTS { MATCH (m)<-[:REFERS_TO]-(r:Recommendation) WHERE r.tombstone IS NULL AND NOT r.id IN $gone } AS is_recommended_on,
  EXISTS { MATCH (m)-[:LEARNED_FROM]-(l:Memory) WHERE NOT l.id IN $removed } AS is_learned_from,
  EXISTS {
    MATCH (m)<-[:REFERS_TO]-(c:SessionContext)
    WHERE coalesce(c.active, true) AND c.tombstone IS NULL AND NOT c.id IN $gone
  } AS is_in_session,
  EXISTS { MATCH (m)-[:REFERS_TO]-(t:Task) WHERE t.status = 'in_progress' AND t.tombstone IS NULL AND NOT t.id IN $gone }
    AS is_in_work
ORDER BY id
