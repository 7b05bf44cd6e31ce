// One decision per pair of names: a later one replaces it.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT name_decision_ids IF NOT EXISTS
FOR (n:NameDecision)
REQUIRE n.id IS UNIQUE
