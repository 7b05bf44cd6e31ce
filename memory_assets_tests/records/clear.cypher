MATCH (n:Memory|SourceText|SourceFile|StageState|CurationAudit)
WHERE n.user_id = $user_id
DETACH DELETE n
