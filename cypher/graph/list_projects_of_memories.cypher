// Of which projects the sources of some memories are, each once ('': of none): of a source itself, a statement, a record, a
// storyline, a macro, a person, concept, entity or relationship. What is not there, or a source that may not be read, is left out.
// mode: read
// params: ids, user_id, user_ids
// returns: id, projects
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE @may_read(m)
RETURN m.id AS id,
  CASE WHEN m:Source THEN [coalesce(m.project, '')] ELSE [] END
  + COLLECT {
      MATCH (m)<-[:STATES|MENTIONS|SUPPORTS {user_id: $user_id}]-(s:Source)
      WHERE @source_in_use(s)
      RETURN DISTINCT coalesce(s.project, '')
    }
  + COLLECT {
      MATCH (m)-[:RECORDED_IN|INCLUDES {user_id: $user_id}]->(s:Source)
      WHERE @source_in_use(s)
      RETURN DISTINCT coalesce(s.project, '')
    }
  + COLLECT {
      MATCH (m)-[:GROUPS {user_id: $user_id}]->(:Storyline)-[:INCLUDES {user_id: $user_id}]->(s:Source)
      WHERE @source_in_use(s)
      RETURN DISTINCT coalesce(s.project, '')
    } AS projects
