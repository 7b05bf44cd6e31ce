// What a storyline or macro says as a line of a file: its title, then its text.
// takes: memory
coalesce(memory.title + ': ', '') + coalesce(memory.overview, memory.summary)
