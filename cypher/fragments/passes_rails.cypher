// The rails of curation/rails.py (001, 1 to 10; a person's word; the owner): none of them closes for a memory that curation
// prunes, merges, archives or removes. Unknown means keep, so that null is no.
// takes: memory, born_before
none(label IN labels(memory) WHERE label IN ['Agent', 'AgentKey', 'Migration', 'SystemConfig'])
  AND coalesce(memory.is_owner, false) = false
  AND memory.ttl_policy <> 'keep_forever'
  AND memory.created_at <= datetime(born_before)
  AND coalesce(memory.restored_at <= datetime(born_before), true)
  AND (coalesce(memory.status, '') IN ['completed', 'failed', 'cancelled', 'archived'] OR NOT 'Task' IN labels(memory))
  AND (coalesce(memory.active, true) = false OR NOT 'SessionContext' IN labels(memory))
  AND (coalesce(memory.state, 'active') <> 'active' OR coalesce(memory.confidence, 1.0) < 0.9
    OR NOT 'Belief' IN labels(memory))
  AND (coalesce(memory.consolidated, false) AND coalesce(memory.access_count, 6) <= 5
    OR NOT 'Reflection' IN labels(memory))
  AND @agent_references(memory, []) < 4
