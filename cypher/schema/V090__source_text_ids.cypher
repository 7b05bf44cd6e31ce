// One node per text of a source: what was found, what it was before it was masked, its cleaned words, and its turns.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT source_text_ids IF NOT EXISTS
FOR (n:SourceText)
REQUIRE n.id IS UNIQUE
