// What curation decides by, of some memories of a user: what is stored of each, and what refers to it. Not tombstones. A dry run
// names what refers to nothing any more: what it has pruned or removed (gone), removed alone, and archived.
// mode: read
// params: user_id, ids, gone, removed, archived
// returns: id, kind, ref, state, ttl_policy, is_owner, tier, tiered_at, budgeted_at, token_count, created_at, changed_at, restored_at, last_accessed_at, recent_accesses, access_count, accessed_by, confidence, consolidated, severity, agent, text, version, archived_at, stated_confidence, confirmed_at, status, is_read, is_critical, active, needs_consolidation, has_source, relationships, agent_references, is_believed, is_recommended_on, is_learned_from, is_in_session, is_in_work
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND @is_living(m)
RETURN @stored_facts(m),
  m.agent AS agent,
  coalesce(m.title + ': ', '') + coalesce(m.text, m.summary, m.canonical_name, '') AS text,
  m.version AS version,
  m.archived_at AS archived_at,
  m.stated_confidence AS stated_confidence,
  m.confirmed_at AS confirmed_at,
  m.status AS status,
  m.is_read AS is_read,
  m.is_critical AS is_critical,
  m.active AS active,
  m.needs_consolidation AS needs_consolidation,
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
