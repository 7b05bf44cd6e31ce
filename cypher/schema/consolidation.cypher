// What was consolidated, or is planned to be.
// mode: schema
// params: -
// returns: -

// Every Consolidation is found by its id, and no two share one.
CREATE CONSTRAINT consolidation_id IF NOT EXISTS
FOR (n:Consolidation)
REQUIRE n.id IS UNIQUE;

// The consolidations of a user, by what has become of them.
CREATE INDEX consolidation_states IF NOT EXISTS
FOR (n:Consolidation)
ON (n.user_id, n.status);

// The consolidations of a user of which a source has gone or states something else.
CREATE INDEX consolidation_unchecked IF NOT EXISTS
FOR (n:Consolidation)
ON (n.unchecked);

// What a consolidation has archived.
CREATE INDEX memory_folding IF NOT EXISTS
FOR (n:Memory)
ON (n.folded_by);
