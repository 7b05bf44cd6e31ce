// What a storyline or macro says as a line of a file: its title, unless its text says that word for word, then its text.
// takes: memory
CASE
  WHEN memory.title IS NULL OR coalesce(memory.overview, memory.summary) CONTAINS memory.title THEN ''
  ELSE memory.title + ': '
END + coalesce(memory.overview, memory.summary)
