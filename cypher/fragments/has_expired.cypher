// The rails of curation/rails.py for a note whose time is over: it has a time, which has come; no description rests on it,
// and none waits that it may be told in. What is noted forever has none; unknown means keep.
// takes: note, at
note.expires_at <= datetime(at)
  AND note.lifetime <> 'forever'
  AND NOT EXISTS { MATCH (:Memory)-[:DESCRIBED_BY]->(note) }
  AND NOT EXISTS { MATCH (waiting:Memory)-[:HAS_NOTE]->(note) WHERE waiting.stale_key <= note.user_id + '|' + at }
