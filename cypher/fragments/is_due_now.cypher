// What a decision about a record follows from has changed: the next cycle of each cadence looks at it. Of tombstones nothing is
// decided any more, and statements live by their sources.
// takes: memory
memory.curate_5m_key = CASE
    WHEN memory.tombstone IS NULL AND NOT 'KnowledgeChunk' IN labels(memory) THEN '0|' + $user_id + '|' + memory.id
    ELSE null
  END,
  memory.curate_15m_key = CASE
    WHEN memory.tombstone IS NULL AND NOT 'KnowledgeChunk' IN labels(memory) THEN '0|' + $user_id + '|' + memory.id
    ELSE null
  END,
  memory.curate_1h_key = CASE
    WHEN memory.tombstone IS NULL AND NOT 'KnowledgeChunk' IN labels(memory) THEN '0|' + $user_id + '|' + memory.id
    ELSE null
  END,
  memory.curate_6h_key = CASE
    WHEN memory.tombstone IS NULL AND NOT 'KnowledgeChunk' IN labels(memory) THEN '0|' + $user_id + '|' + memory.id
    ELSE null
  END
