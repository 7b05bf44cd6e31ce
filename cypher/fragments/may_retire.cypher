// The rails of curation/rails.py that can protect a memory that was derived, checked as it is deleted: not `keep_forever`,
// not core, never recalled. Unknown forbids it.
// takes: memory
memory.ttl_policy <> 'keep_forever'
  AND memory.state <> 'core'
  AND memory.access_count = 0
