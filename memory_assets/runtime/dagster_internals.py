"""What Dagster keeps to itself and we use on purpose: the one module that imports it. The lock pins the version.

A comment at each name says what would break without it; ``docs/decisions/0002-dagster-or-ours.md`` says why there is no
other way.
"""

# ruff: noqa: F401 - others take them from here

from dagster._core.definitions.assets.job.asset_job import build_asset_job, get_asset_graph_for_job

# The tags by which the UI knows from which versions an owner's asset was made: without, it guesses from times.
from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)

# The end of a step that has logged its events itself: without, each partition gets one more, empty.
from dagster._core.definitions.source_asset import SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION

# Jobs over both sets of partitions, with ``build_asset_job``: ``define_asset_job`` refuses them.
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

# A small failed run recorded for an owner who was held up: without, the partition isn't red.
from dagster._core.events import AssetMaterializationPlannedData, DagsterEvent

# A command's run belongs to the code location: without, the UI cannot link or repeat it.
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin

# Ticks of sensors and schedules, for alerts.
from dagster._core.scheduler.instigation import InstigatorState, InstigatorTick, InstigatorType, TickStatus

# A check's last evaluation, without the one that is only planned.
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

# The history of runs goes with all its files and rows, which ``delete_run`` leaves.
from dagster._core.storage.event_log import SqlEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable, SqlEventLogStorageTable
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

# Its files stay open between two events: without, a run waits for the disk at each.
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._core.storage.sqlite import create_db_conn_string
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._core.utils import make_new_run_id
from dagster._serdes import ConfigurableClassData
