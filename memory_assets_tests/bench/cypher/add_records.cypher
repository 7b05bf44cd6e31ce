// Memory entries of a user, each with the instants at which the cycles of curation are to look at it.
// mode: write
// params: rows, user_id, created_at
// returns: made
UNWIND $rows AS row
CREATE (m:Memory:MemoryEntry {
  id: row.id, user_id: $user_id, ref: row.id, record_kind: 'MemoryEntry', agent: 'ana', text: row.text, fingerprint: row.id,
  state: row.state, tier: row.tier, ttl_policy: 'decay', salience: 0.5, salience_at: datetime($created_at), access_count: 0,
  recall_frequency: 0, decay_gradient: 1.0, token_count: 10, created_at: datetime($created_at),
  changed_at: datetime($created_at), version: 1, curate_5m_key: row.curate_5m_key, curate_15m_key: row.curate_15m_key,
  curate_1h_key: row.curate_1h_key, curate_6h_key: row.curate_6h_key
})
RETURN count(m) AS made
