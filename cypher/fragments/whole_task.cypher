// A task with its full definition, and what became of it.
// takes: task
task.id AS id,
  task.task_key AS task_key,
  task.task_name AS task_name,
  task.schedule AS schedule,
  task.definition_json AS definition_json,
  task.is_active AS is_active,
  task.execution_count AS execution_count,
  task.error_count AS error_count,
  task.last_executed AS last_executed,
  task.last_error AS last_error,
  task.next_due AS next_due
