// A tombstone whose time was over.
MATCH (m:Memory {id: $id, user_id: $user_id})
DETACH DELETE m
