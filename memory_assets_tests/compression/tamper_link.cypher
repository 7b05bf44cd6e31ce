// The way from a context to the level or source above it is gone.
MATCH (c:CompressedContext {id: $id, user_id: $user_id})
OPTIONAL MATCH (c)<-[r:SUMMARIZED_TO]-(above:CompressedContext)
OPTIONAL MATCH (c)-[o:CONTEXT_OF]->(s:Source)
DELETE r, o
