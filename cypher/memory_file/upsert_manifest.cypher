// Replace the manifest of one of a user's files (000, BoundedMemoryManifest Node): pointers, not content, and what it was made of.
// mode: write
// params: id, user_id, is_default, path, limits, sizes, preset, sha256, version, max_tokens, current_tokens, considered, inputs_fingerprint, entries, sections, left_out, composition, preferences, tasks, insights, recent, generated_at, now
// returns: id
MERGE (b:BoundedMemoryManifest {id: $id, user_id: $user_id})
SET b.is_default = $is_default,
    b.path = $path,
    b.limits = $limits,
    b.sizes = $sizes,
    b.preset = $preset,
    b.sha256 = $sha256,
    b.version = $version,
    b.max_tokens = $max_tokens,
    b.current_tokens = $current_tokens,
    b.considered = $considered,
    b.inputs_fingerprint = $inputs_fingerprint,
    b.entries = $entries,
    b.sections = $sections,
    b.left_out = $left_out,
    b.composition = $composition,
    b.personal_preference_ids = $preferences,
    b.active_task_summary_ids = $tasks,
    b.high_value_insight_ids = $insights,
    b.recent_context_ids = $recent,
    b.generated_at = datetime($generated_at),
    b.last_compacted = datetime($now)
RETURN b.id AS id
