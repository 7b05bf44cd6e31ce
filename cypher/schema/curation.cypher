// The audits of what was retired.
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
