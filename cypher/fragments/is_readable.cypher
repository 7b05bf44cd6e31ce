// Whether a user may still read what a memory of theirs says: of a statement that a source makes, of a storyline or theme of
// which each source is one, that the user may read and that is in use. All others are told by what they are made of.
// takes: memory
(NOT 'KnowledgeChunk' IN labels(memory) OR EXISTS {
    MATCH (memory)<-[:STATES {user_id: $user_id}]-(s:Source)
    WHERE @may_read(s)
      AND @source_in_use(s)
  })
  AND (NOT 'Storyline' IN labels(memory) OR EXISTS { MATCH (memory)-[:INCLUDES {user_id: $user_id}]->(:Source) }
    AND NOT EXISTS {
      MATCH (memory)-[:INCLUDES {user_id: $user_id}]->(s:Source)
      WHERE NOT (@may_read(s) AND @source_in_use(s))
    })
  AND (NOT 'Macro' IN labels(memory)
    OR EXISTS { MATCH (memory)-[:GROUPS {user_id: $user_id}]->(:Storyline)-[:INCLUDES {user_id: $user_id}]->(:Source) }
    AND NOT EXISTS {
      MATCH (memory)-[:GROUPS {user_id: $user_id}]->(:Storyline)-[:INCLUDES {user_id: $user_id}]->(s:Source)
      WHERE NOT (@may_read(s) AND @source_in_use(s))
    })
