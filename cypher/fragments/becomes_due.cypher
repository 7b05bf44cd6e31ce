// A record that the next cycle of each of curation's cadences looks at: something that its decisions follow from has changed.
// takes: memory
memory.version = coalesce(memory.version, 0) + 1,
  memory.curate_5m_key = '0|' + $user_id + '|' + memory.id,
  memory.curate_15m_key = '0|' + $user_id + '|' + memory.id,
  memory.curate_1h_key = '0|' + $user_id + '|' + memory.id,
  memory.curate_6h_key = '0|' + $user_id + '|' + memory.id
