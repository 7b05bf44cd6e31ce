// What was decided about memories, and the audits of that and of what was retired.
// mode: schema
// params: -
// returns: -

// No two audits share an id.
CREATE CONSTRAINT curation_audit_id IF NOT EXISTS
FOR (n:CurationAudit)
REQUIRE n.id IS UNIQUE;

// What was retired of an owner.
CREATE INDEX curation_audit_owners IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.user_id, n.action);

// What was retired since an owner's memories were last scored.
CREATE INDEX audit_unscored IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.unscored);

// What was retired since it was last judged what holds of an owner's statements.
CREATE INDEX audit_unjudged IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.unjudged);

// Every Decision is found by its id, and no two share one.
CREATE CONSTRAINT decision_id IF NOT EXISTS
FOR (n:Decision)
REQUIRE n.id IS UNIQUE;

// The decisions of a user, by what they are about.
CREATE INDEX decision_kinds IF NOT EXISTS
FOR (n:Decision)
ON (n.user_id, n.kind);

// No two erasures share an id.
CREATE CONSTRAINT erasure_id IF NOT EXISTS
FOR (n:Erasure)
REQUIRE n.id IS UNIQUE;

// What was erased of an owner.
CREATE INDEX erasure_owners IF NOT EXISTS
FOR (n:Erasure)
ON (n.user_id);
