"""The policy that is in force, read anew when its files change; a broken file leaves the old one in force."""

from __future__ import annotations

from pathlib import Path

from babelguard.errors import UserError
from serve.bundle import GuardManifest
from serve.policies.deciding import Decider
from serve.policies.loading import load_policy

_Signature = tuple[tuple[int, int, int] | None, ...]


class PolicyStore:
    """Holds the policy in force. `decider` may be read from any thread; `refresh` is called by one at a time."""

    def __init__(self, path: Path, guard: GuardManifest) -> None:
        """Read the policy.

        Raises:
            UserError: The policy cannot be read. Without a valid policy nothing starts.
        """
        self._path = path
        self._guard = guard
        self._decider = Decider(load_policy(path, guard), guard)
        self._signature = self._look()
        self.problem: str | None = None
        self.reloads = 0
        self.failures = 0

    @property
    def decider(self) -> Decider:
        """What decides now."""
        return self._decider

    def refresh(self) -> bool:
        """Read the policy again if a file of it has changed.

        Returns:
            Whether a new policy is in force. If the changed one is broken, the old one stays, and `problem` says what
            is wrong with the new one.
        """
        signature = self._look()
        if signature == self._signature:
            return False
        self._signature = signature
        try:
            policy = load_policy(self._path, self._guard)
        except UserError as error:
            self.problem = str(error)
            self.failures += 1
            return False
        except OSError as error:
            self.problem = f"{error.filename}: {error.strerror}; check the file and its rights."
            self.failures += 1
            return False
        self.problem = None
        self._decider = Decider(policy, self._guard)
        self._signature = self._look()  # the new policy may name other lists
        self.reloads += 1
        return True

    def _look(self) -> _Signature:
        return tuple(_stat(path) for path in self._decider.policy.files)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
