// A record that the next cycle of each of curation's cadences looks at: something that its decisions follow from has changed.
// takes: memory
memory.version = coalesce(memory.version, 0) + 1,
  @is_due_now(memory)
