// Put memories out of the default context that have faded or expired, or that a consolidation folds (folded_by), with an
// audit; nothing is deleted, and an access brings them back (004, Transition Rules). Not those that were accessed since they
// were read, or of which more has arrived than decay counts from (since): that is for the next run. A statement is folded only
// where all its sources are archived. kept_turns: what the search still reads.
// Rails, again where the knife is (passes_rails).
// mode: write
// params: rows, user_id, now, born_before
// returns: id
@held_memory()
WHERE @passes_rails(m, $born_before)
  AND @in_use(m)
  AND m.access_count = row.access_count
  AND coalesce(m.ingested_at, m.created_at) <= datetime(row.since)
  AND (row.folded_by IS NULL OR NOT EXISTS {
    MATCH (m)<-[:STATES {user_id: $user_id}]-(s:Source)
    WHERE @in_use(s)
  })
@cut_audit(m, 'archive')
SET m.archived_from = m.state,
  m.archived_at = datetime($now),
  m.folded_by = row.folded_by,
  m.kept_turns = row.kept_turns,
  m.state = 'archived',
  m.fade_key = null,
  m.rest_key = null,
  m.rested_key = null,
  m.unaged = null,
  m.unscored = CASE WHEN row.is_valued THEN $user_id ELSE m.unscored END
RETURN m.id AS id
