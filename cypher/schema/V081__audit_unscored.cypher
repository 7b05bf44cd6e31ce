// What was retired since an owner's memories were last scored.
// mode: schema
// params: -
// returns: -
CREATE INDEX audit_unscored IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.unscored)
