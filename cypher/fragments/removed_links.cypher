// Some relationships go, and how many of each key did. All are found before the first goes: the embedded engine loses its way in
// links that go while it follows them.
// takes: key, link
WITH key AS id, collect(link) AS links
FOREACH (one IN links | DELETE one)
RETURN id, size(links) AS removed
