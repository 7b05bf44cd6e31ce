// The rails of curation/rails.py for a note whose time is over: it has a time, which has come, and no description rests on it.
// What is noted forever has none; unknown means keep.
// takes: note, at
note.expires_at <= datetime(at)
  AND note.lifetime <> 'forever'
  AND NOT EXISTS { MATCH (:Memory)-[:DESCRIBED_BY]->(note) }
