// A key of an agent, which is made with its first one.
// mode: write
// params: id, digest, agent_id, agent, user_id, scopes, project, now, expires_at
// returns: -
MERGE (a:Agent {id: $agent_id, user_id: $user_id})
  ON CREATE SET a.name = $agent, a.created_at = datetime($now)
CREATE (k:AgentKey {
  id: $id, user_id: $user_id, digest: $digest, agent: $agent, scopes: $scopes, project: $project,
  created_at: datetime($now), expires_at: datetime($expires_at)
})
CREATE (a)-[:HAS_KEY {user_id: $user_id}]->(k)
