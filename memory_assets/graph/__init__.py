"""The graph: the only door to Neo4j, and to the embedded engine that can replace it.

Enters:  named statements from ``cypher/`` and their parameters, as plain Python.
Leaves:  rows as plain Python: times as aware UTC datetimes, never a driver's type.
Belongs: the catalogue of query files, the driver, retries, the schema, the embedded host, the export.
Not here: what any statement means (its room knows), Cypher text (``cypher/`` holds all of it), Dagster.

Both engines run the same text. What differs, as measured on Neo4j 5.26 and ArcadeDB 26.10, and what we do:

- A pattern with two labels finds nothing by index on ArcadeDB: ``MERGE (p:Memory:Person {id: row.id})``
  scans every such node for every row (1,000 rows on 6,000 nodes: 1.3 s; by index 0.1 s). So nodes are
  found by one label and created with two, and a test refuses anything else::

      UNWIND $rows AS row
      CALL (row) {
        WITH row
        WHERE NOT EXISTS { MATCH (:Person {id: row.id}) }
        CREATE (:Memory:Person {id: row.id, user_id: $user_id, created_at: datetime($now)})
      }
      WITH row
      MATCH (p:Person {id: row.id, user_id: $user_id})
      SET ...

  (``MERGE (p:Person {id: row.id}) ON CREATE SET p:Memory`` is refused there.) MERGE on one label is fine.
- ``WHERE t.due_key > $after AND t.user_id = $user_id`` reads ArcadeDB's index by owner and all that the owner has (100,000
  tasks: 0.25 s; the range alone: 0.01 s). The owner is asked for in a ``WITH t WHERE`` behind the range, and a test
  refuses anything else.
- Two writers that create one new key: one gets a constraint error (both engines) that the driver calls
  permanent. It is retried here, together with transient errors.
- ArcadeDB does not enforce a READ transaction. ``query_read_only`` therefore judges the text as well, and
  rolls back whatever ran.
- ArcadeDB reads the whole record of a node for each statement that touches it: a source of 200 kB that a thousand
  statements lead to did not fit into its heap. So the texts of sources are in nodes of their own (SourceText), which
  only those queries read that need the words.
- Neo4j reads what a WHERE asks without a lock, and takes one with the first property that it sets: a version that is asked
  for there may be another one when the statement writes. ``@holds(m)`` sets one before the question. (The embedded engine
  refuses the later of two that commit.)
- ArcadeDB names no columns when there are no rows.
- ``datetime(null)`` is null on both. A year 0 is stored by both and breaks the driver's record: rooms keep
  instants within 1900 to 2199.
- ArcadeDB keeps 300 parsed statements and plans by default, with several entries for one text: a run uses more, and each
  was parsed anew (4.5 ms of its 5). The host keeps 2,000, which a database takes from the JVM's properties alone.
- ArcadeDB takes messages up to 16 MB by default: the host allows 256 MB, and rows are sent in
  batches bounded by count and by size.
"""  # noqa: E501
