// What a decision about a record follows from has changed: the next cycle of each cadence looks at it.
// takes: memory
memory.curate_5m_key = '0|' + $user_id + '|' + memory.id,
  memory.curate_15m_key = '0|' + $user_id + '|' + memory.id,
  memory.curate_1h_key = '0|' + $user_id + '|' + memory.id,
  memory.curate_6h_key = '0|' + $user_id + '|' + memory.id
