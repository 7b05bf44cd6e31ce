// What was retired of an owner.
// mode: schema
// params: -
// returns: -
CREATE INDEX curation_audit_owners IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.user_id, n.action)
