"""Runs a guard's ONNX model with onnxruntime: on which processor, with how many threads, in which batches."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError, unknown_name
from serve.batches import Batch, pad, plan_batches

Provider: TypeAlias = Literal["auto", "cpu", "cuda", "tensorrt"]
Tuning: TypeAlias = Literal["latency", "throughput"]
Windows: TypeAlias = Sequence[NDArray[np.int64]]
Logits: TypeAlias = NDArray[np.float32]

_CPU, _CUDA, _TENSORRT = "CPUExecutionProvider", "CUDAExecutionProvider", "TensorrtExecutionProvider"
_PROVIDERS = {"cpu": _CPU, "cuda": _CUDA, "tensorrt": _TENSORRT}
_LONG = 1024
"""Tokens of a window from which a run's memory is given back: attention takes memory by the square of the length. After
shorter ones giving back costs more than it saves: what is asked for next comes in other pieces, and the arena grows."""
_SLOW_FUSIONS = {_CPU: ["SkipLayerNormFusion", "BiasGeluFusion"]}
"""Fusions of onnxruntime that cost more time than they save: its fused nodes compute number by number, its single ones
many numbers at a time."""
_BATCH_TOKENS = {_CPU: 512, _CUDA: 16_384, _TENSORRT: 16_384}
"""Tokens in a batch, padding included: what keeps the processor busy. More makes a CPU slower; it leaves the caches."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a model is run.

    Attributes:
        provider: The processor; ``auto`` is CUDA where it works, else the CPU.
        threads: CPU cores to use; all that the process may use if `None`.
        tuning: ``latency`` puts all threads on one batch; ``throughput`` runs as many batches at a time as there are
            threads, each on one.
        batch_tokens: Tokens in a batch, padding included; by the provider if `None`.
    """

    provider: Provider = "auto"
    threads: int | None = None
    tuning: Tuning = "throughput"
    batch_tokens: int | None = None


class Engine:
    """One model, loaded. May be used from several threads at a time."""

    def __init__(self, model: Path, *, columns: int, padding: int, options: EngineOptions | None = None) -> None:
        """Load a model.

        Args:
            model: The ONNX file: `input_ids` and `attention_mask` [batch, length] in, `logits` [batch, columns] out.
            columns: Outputs that it must have.
            padding: Token id that fills batches up.
            options: How it is run.

        Raises:
            UserError: onnxruntime or the provider is not there, or the file is not such a model.
        """
        options = options or EngineOptions()
        self._padding = padding
        self._columns = columns
        self.threads = _usable_cores() if options.threads is None else options.threads
        if self.threads < 1:
            raise UserError(f"threads is {self.threads}; an engine needs one at least.")
        if options.batch_tokens is not None and options.batch_tokens < 1:
            raise UserError(f"batch_tokens is {options.batch_tokens}; a batch needs one at least.")
        self.workers, self._session = self._start(model, choose_providers(options.provider), options)
        self.providers: tuple[str, ...] = tuple(self._session.get_providers())
        self.tuning = options.tuning
        self.batch_tokens = options.batch_tokens or _BATCH_TOKENS.get(self.providers[0], _BATCH_TOKENS[_CPU])
        self._pool = ThreadPoolExecutor(self.workers, "engine") if self.workers > 1 else None
        self._giving_back = _giving_back() if self.providers[0] == _CPU else None
        _check_signature(self._session, model, columns)

    def _start(self, model: Path, providers: Sequence[str], options: EngineOptions) -> tuple[int, Any]:
        """Return how many batches run at a time, and the session."""
        on_cpu = providers[0] == _CPU
        workers = self.threads if on_cpu and options.tuning == "throughput" else 1
        threads = self.threads if on_cpu and workers == 1 else 1
        session = open_session(model, providers, threads, chosen=options.provider != "auto")
        if not on_cpu and session.get_providers()[0] == _CPU:
            return self._start(model, [_CPU], options)  # with the threads that a CPU needs
        return workers, session

    @property
    def provider(self) -> str:
        """The provider that runs the model: ``cpu``, ``cuda`` or ``tensorrt``."""
        names = {full: short for short, full in _PROVIDERS.items()}
        return names.get(self.providers[0], self.providers[0])

    def __str__(self) -> str:
        """Say in words what runs the model."""
        import onnxruntime

        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}, " if self.provider == "cpu" else ""
        return (
            f"onnxruntime {onnxruntime.__version__} on {self.provider}, {threads}tuned for {self.tuning}, "
            f"batches of {self.batch_tokens:,} tokens"
        )

    def run(self, input_ids: NDArray[np.int64], attention_mask: NDArray[np.int64]) -> Logits:
        """Run one batch as it is.

        Args:
            input_ids: [batch, length].
            attention_mask: [batch, length], 1 for tokens and 0 for padding.

        Returns:
            [batch, columns].
        """
        feed = {"input_ids": input_ids, "attention_mask": attention_mask}
        options = self._giving_back if input_ids.shape[1] >= _LONG else None
        (logits,) = self._session.run(["logits"], feed, options)
        return np.asarray(logits, dtype=np.float32)

    def score(self, windows: Windows) -> Logits:
        """Run any number of windows, in batches of like length.

        Args:
            windows: Token ids of each window.

        Returns:
            [windows, columns], in the windows' order.
        """
        result = np.empty((len(windows), self._columns), dtype=np.float32)
        for batch, logits in self._each(list(plan_batches([len(w) for w in windows], self.batch_tokens)), windows):
            result[batch] = logits
        return result

    def warm_up(self, longest: int) -> None:
        """Run a short and a full batch, so that what is made on first use is made now.

        Args:
            longest: Tokens of the longest window.
        """
        self.score([np.full(min(8, longest), self._padding, dtype=np.int64)])
        rows = max(1, self.batch_tokens // longest) * self.workers
        self.score([np.full(longest, self._padding, dtype=np.int64)] * rows)

    def _each(self, batches: Sequence[Batch], windows: Windows) -> Iterable[tuple[Batch, Logits]]:
        def run(batch: Batch) -> tuple[Batch, Logits]:
            return batch, self._run_or_halve([windows[place] for place in batch])

        if self._pool is None or len(batches) == 1:
            return map(run, batches)
        return self._pool.map(run, batches)

    def _run_or_halve(self, windows: Windows) -> Logits:
        try:
            return self.run(*pad(windows, self._padding))
        except Exception as error:
            if len(windows) == 1 or not _is_out_of_memory(error):
                raise
        middle = len(windows) // 2
        return np.concatenate([self._run_or_halve(windows[:middle]), self._run_or_halve(windows[middle:])])


def _is_out_of_memory(error: BaseException) -> bool:
    """Tell whether memory, of a GPU or of the machine, ran out; onnxruntime has no exception of its own for it."""
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(
        words in said for words in ("failed to allocate", "out of memory", "bad_alloc", "cudaerrormemoryallocation")
    )


def choose_providers(provider: str) -> list[str]:
    """Return onnxruntime's providers for one of ours, the wanted one first.

    Raises:
        UserError: onnxruntime is not installed, or the installed one lacks the provider.
    """
    try:
        import onnxruntime
    except ImportError:
        raise UserError(
            "onnxruntime is not installed; install babelguard[cpu], or babelguard[gpu] for NVIDIA GPUs."
        ) from None
    warn_of_both_runtimes()
    available = onnxruntime.get_available_providers()
    if provider == "auto":
        return [_CUDA, _CPU] if _CUDA in available else [_CPU]
    if provider not in _PROVIDERS:
        raise unknown_name("provider", provider, ["auto", *_PROVIDERS])
    wanted = _PROVIDERS[provider]
    if wanted not in available:
        raise UserError(
            f"The installed onnxruntime cannot run on {provider}; it offers {', '.join(available)}. "
            "Uninstall it and install babelguard[gpu], or choose provider cpu."
        )
    return {_TENSORRT: [_TENSORRT, _CUDA, _CPU], _CUDA: [_CUDA, _CPU]}.get(wanted, [_CPU])


def _usable_cores() -> int:
    # Containers and schedulers often give a process fewer cores than the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def warn_of_both_runtimes() -> bool:
    """Warn where onnxruntime and onnxruntime-gpu are both installed: each overwrites files of the other.

    Returns:
        Whether both are there.
    """
    names = {str(each.metadata["Name"]).lower().replace("_", "-") for each in distributions()}
    both = {"onnxruntime", "onnxruntime-gpu"} <= names
    if both:
        warnings.warn(
            "onnxruntime and onnxruntime-gpu are both installed, and each overwrites the other's files: which one runs "
            "is chance. Uninstall both, then install babelguard[cpu] or babelguard[gpu], not both.",
            stacklevel=2,
        )
    return both


def open_session(model: Path, providers: Sequence[str], threads: int, *, chosen: bool) -> Any:  # noqa: ANN401
    """Open an `onnxruntime.InferenceSession` with the settings that suit guards.

    Args:
        model: The ONNX file.
        providers: onnxruntime's names of providers, the wanted one first.
        threads: CPU cores for one batch.
        chosen: Whether the first provider was asked for by name, so that another is an error.

    Raises:
        UserError: The file is not a model, or the provider that was asked for does not start.
    """
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    settings.enable_mem_pattern = False  # it plans memory for one shape, and batches have many
    settings.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            str(model),
            settings,
            providers=[(name, _provider_options(name, model)) for name in providers],
            disabled_optimizers=_SLOW_FUSIONS.get(providers[0]),
        )
    except Exception as error:
        if type(error).__module__.startswith("onnxruntime"):
            raise UserError(f"{model} is not a model that onnxruntime can run: {error}.") from None
        raise
    running = session.get_providers()
    if running[0] != providers[0]:
        said = f"onnxruntime offers {providers[0]} but runs on {running[0]}; check the driver, CUDA and cuDNN."
        if chosen:
            raise UserError(said)
        warnings.warn(said, stacklevel=3)
    return session


def _giving_back() -> Any:  # noqa: ANN401 - onnxruntime has no types
    import onnxruntime

    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def _provider_options(provider: str, model: Path) -> dict[str, str]:
    if provider == _CUDA:
        # Batches differ in shape: an arena that doubles would take much more than a run needs. TF32 would give fp32
        # guards other decisions than those that were verified.
        return {"arena_extend_strategy": "kSameAsRequested", "use_tf32": "0"}
    if provider == _TENSORRT:
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "babelguard" / "tensorrt" / model.stem
        return {"trt_engine_cache_enable": "1", "trt_timing_cache_enable": "1", "trt_engine_cache_path": str(cache)}
    return {}


def _check_signature(session: Any, model: Path, columns: int) -> None:  # noqa: ANN401 - onnxruntime has no types
    inputs = {each.name for each in session.get_inputs()}
    outputs = {each.name: each.shape for each in session.get_outputs()}
    if inputs != {"input_ids", "attention_mask"} or "logits" not in outputs:
        raise UserError(
            f"{model} takes {', '.join(sorted(inputs))} and gives {', '.join(outputs)}; a guard's model takes "
            "input_ids and attention_mask and gives logits."
        )
    width = outputs["logits"][-1]
    if isinstance(width, int) and width != columns:
        raise UserError(f"{model} gives {width} logits a text, and guard.json lists {columns} columns.")
