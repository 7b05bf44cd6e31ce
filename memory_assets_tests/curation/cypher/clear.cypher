// Whatever a test has made of an owner: some of it has labels that other tests count.
MATCH (m:Memory {user_id: $user_id})
DETACH DELETE m
