"""One small tree of errors. Each says what was wrong, where, and what to do about it.

``retryable`` says whether trying again can help; the adapters retry what can pass
by itself before an error leaves them.
"""

from __future__ import annotations


class MemoryAssetsError(Exception):
    """The root: a sentence for a person, with the way out in it."""

    retryable = False


class WrongUseError(MemoryAssetsError):
    """What was asked for cannot be meant so: nothing was tried, and asked otherwise it can be."""


class SettingsError(WrongUseError):
    """The configuration cannot be used as it is."""


class OwnerNameError(WrongUseError):
    """A user or team id outside ``[a-z0-9_-]``, longer than 64 characters, or reserved."""


class UnknownOwnerError(OwnerNameError):
    """An id that nobody has: most likely mistyped."""


class OwnerBusyError(MemoryAssetsError):
    """Somebody else writes an owner's memory at this moment."""

    retryable = True


class QueryFileError(MemoryAssetsError):
    """A file in ``cypher/`` disagrees with its own header, or does not exist."""


class GraphUnavailableError(MemoryAssetsError):
    """The graph cannot be reached."""

    retryable = True


class GraphRowError(MemoryAssetsError):
    """A parameter holds something that no graph property can hold."""


class GraphQueryError(MemoryAssetsError):
    """The engine refused a statement."""


class ReadOnlyError(GraphQueryError, WrongUseError):
    """A query for the door that only reads is none, or does more."""


class SourceUnreadableError(MemoryAssetsError):
    """A file cannot become a source: it is set aside with this reason."""


class ModelError(MemoryAssetsError):
    """A language model or embedder gave no usable answer."""


class ModelUnavailableError(ModelError):
    """The model's service did not answer, or asked us to come back later."""

    retryable = True


class CutAnswerError(ModelError):
    """An answer ended before its end; the next one may be whole."""

    retryable = True


class UnusableAnswerError(ModelError):
    """The model has refused this input, or answered it with nothing of use, however often it was asked."""


class ModelServiceError(ModelError):
    """No call to the service can work now (key, model, quota, network): nobody's input is at fault."""


class BudgetExceededError(ModelError):
    """The next call would spend more than ``MEMORY_ASSETS_BUDGET_USD`` allows."""


class SourceOverrunError(SourceUnreadableError, ModelError):
    """The work on one source took more processor time than any source may: it is set aside, in whichever step that
    was.
    """


class PromptFileError(MemoryAssetsError):
    """A prompt file disagrees with its own header, or does not exist."""


class UnknownReferenceError(MemoryAssetsError):
    """A reference that this user's memories do not hold."""
