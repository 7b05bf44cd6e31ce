// Every SourceFile is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT source_file_id IF NOT EXISTS
FOR (n:SourceFile)
REQUIRE n.id IS UNIQUE
