// What was consolidated of a source that goes is looked at by the next run: its steps have taken notes from the source, or have
// archived it.
// takes: source
WITH row, source
OPTIONAL MATCH (source)<-[t:TAKEN_FROM {user_id: $user_id}]-(:Note)
WHERE t.step STARTS WITH 'consolidation/'
WITH row, source, collect(DISTINCT t.step) AS steps
UNWIND [step IN steps | substring(step, 14)] + [coalesce(source.folded_by, '')] AS consolidation_id
OPTIONAL MATCH (k:Consolidation {id: consolidation_id, user_id: $user_id})
SET k.unchecked = $user_id
