// The rails of curation/rails.py that can close for a memory that was derived, where the knife is: not kept forever, not
// core, never recalled. Unknown means keep.
// takes: memory
memory.ttl_policy <> 'keep_forever'
  AND memory.state <> 'core'
  AND memory.access_count = 0
