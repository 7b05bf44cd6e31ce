"""A real Neo4j for tests, on any machine with a JDK and Maven; Docker is not needed.

Enters:  a command to run, ``python -m memory_assets_tests.support.neo4j_server -- COMMAND...``.
Leaves:  the command's exit code; the command ran with NEO4J_URI and its companions set.
Belongs: fetching Neo4j's jars from Maven Central once, starting and ending the server.
Not here: what is tested (any command will do), and anything that the product needs.
"""
