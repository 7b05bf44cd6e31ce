// The rails of curation/rails.py that can close for a memory that fades: not kept forever, not new, no agent, no open task, no
// session. Unknown means keep. That it is core or was recalled does not keep it: how slowly it fades follows from that.
// takes: memory, born_before
memory.ttl_policy <> 'keep_forever'
  AND coalesce(memory.is_owner, false) = false
  AND memory.created_at <= datetime(born_before)
  AND any(label IN labels(memory) WHERE label IN
    ['Source', 'Person', 'Concept', 'Entity', 'Storyline', 'Macro', 'KnowledgeChunk'])
