"""What a person or an agent asks for: one module for each request, whatever it is asked with.

Enters:  a request for a user: run a job, open, remove or retry a source, recall, look what is wrong. Leaves:  the
answer as plain data; runs on the installation's instance where there is work to do. Belongs: requests that need
several rooms, or a run. Not here: the words of the command line (cli/), what rooms decide, moving a file in
(migration/), what starts by itself (automation/).
"""
