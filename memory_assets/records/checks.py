"""Claims about agents' records that can be false."""

from memory_assets.records.assets import agent_records
from memory_assets.runtime.judging import users_check

records_stay_with_their_owner = users_check(
    agent_records,
    "records_stay_with_their_owner",
    "A user's records come from the user's own sources and refer to the user's own records, nobody else's.",
    "records/list_foreign_records",
    "links of records to what is somebody else's",
    "report it: a record of one owner was linked to something of another's",
)
