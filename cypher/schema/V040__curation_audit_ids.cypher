// No two audits share an id.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT curation_audit_id IF NOT EXISTS
FOR (n:CurationAudit)
REQUIRE n.id IS UNIQUE
