"""Many sequences in one row behind one shared beginning.

A padded batch needs the beginning's key-value states once a sequence. Here all sequences stand one after the other in
a batch of one: the beginning is there once, every token sees it and its own sequence, and nothing is padded. Which
token sees which is the attention mask's to say; positions go on from the beginning in every sequence. (The idea that
sequences share a prefix's states is that of Hydragen, Juravsky et al., 2024; packing with a block mask is that of
Krell et al., 2021.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babelguard.errors import UserError
from babelguard.local_models.prefixes import Prefix
from babelguard.local_models.sequences import cache_argument

_TOKENS_A_PASS = 1024
"""Longer input is fed in several passes, so that the mask stays small."""
_FULL, _SLIDING, _CHUNKED = "full_attention", "sliding_attention", "chunked_attention"


@dataclass(frozen=True, slots=True)
class LayerKinds:
    """How far each layer of a model sees.

    Attributes:
        of_layer: The kind of every layer.
        reach: Kind -> window of a sliding kind or length of a chunk in tokens; `None` sees everything.
    """

    of_layer: tuple[str, ...]
    reach: Mapping[str, int | None]

    @classmethod
    def of(cls, model: Any) -> LayerKinds:  # noqa: ANN401 - a transformers model
        """Read them from a model's configuration.

        Raises:
            UserError: A layer is not attention of a kind known here, so that sequences cannot be packed.
        """
        config = model.config.get_text_config()
        window = getattr(config, "sliding_window", None)
        reach = {_FULL: None, _SLIDING: window, _CHUNKED: getattr(config, "attention_chunk_size", None)}
        kinds = getattr(config, "layer_types", None)
        if kinds is None:
            kinds = [_SLIDING if window else _FULL] * config.num_hidden_layers
        unknown = sorted(set(kinds) - set(reach))
        if unknown:
            raise UserError(
                f"The model {model.config.model_type} has layers of the kind {unknown[0]}, which cannot share a "
                "prompt's beginning; set 'share_prefix: false'."
            )
        return cls(tuple(kinds), {kind: reach[kind] for kind in set(kinds)})

    def visible(self, kind: str, query: Any, key: Any) -> Any:  # noqa: ANN401 - tensors
        """Tell which positions `key` the positions `query` see (query x key, bool)."""
        before = key[None, :] <= query[:, None]
        reach = self.reach[kind]
        if reach is None:
            return before
        if kind == _CHUNKED:
            return before & (key[None, :] // reach == query[:, None] // reach)
        return before & (query[:, None] - key[None, :] < reach)

    def first_seen(self, kind: str, position: int) -> int:
        """Return the first position that anything from `position` on can see."""
        reach = self.reach[kind]
        if reach is None:
            return 0
        return position - position % reach if kind == _CHUNKED else max(0, position - reach + 1)


@dataclass
class _Layer:
    """Keys and values of one layer: what the layer still sees of the prefix, then what sequences have added."""

    keys: Any
    values: Any
    prefix: int
    used: int = 0


@dataclass
class PackedStates:
    """A model's key-value cache as `PackedSequences` needs it; it has what transformers' models ask of a cache.

    Attributes:
        prefix: The shared beginning, whose states are copied in here once and stay.
        kinds: How far each layer sees.
    """

    prefix: Prefix
    kinds: LayerKinds
    layers: dict[int, _Layer] = field(default_factory=dict)
    is_compileable: bool = False

    def update(self, keys: Any, values: Any, layer_idx: int, *_: object, **__: object) -> tuple[Any, Any]:  # noqa: ANN401
        """Append the states of new tokens to a layer and return all of its states (1 x heads x tokens x width)."""
        layer = self.layers.get(layer_idx)
        if layer is None:
            layer = self.layers[layer_idx] = self._new_layer(layer_idx, keys, values)
        start = layer.prefix + layer.used
        end = start + keys.shape[2]
        if end > layer.keys.shape[2]:
            layer.keys, layer.values = _grown(layer.keys, start, 2 * end), _grown(layer.values, start, 2 * end)
        layer.keys[:, :, start:end], layer.values[:, :, start:end] = keys, values
        layer.used += keys.shape[2]
        return layer.keys[:, :, :end], layer.values[:, :, :end]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return the number of positions before the new tokens."""
        return len(self.prefix.ids) + (self.layers[layer_idx].used if layer_idx in self.layers else 0)

    def kept_positions(self, kind: str) -> tuple[int, int]:
        """Return the range of the prefix's positions that layers of a kind keep."""
        length = len(self.prefix.ids)
        return self.kinds.first_seen(kind, length), length

    def keep(self, columns: Any | None) -> None:  # noqa: ANN401 - a tensor or nothing
        """Keep only these of the added tokens (their indexes, ascending); none of them if not given."""
        for layer in self.layers.values():
            layer_columns = None if columns is None else columns.to(layer.keys.device) + layer.prefix
            count = 0 if layer_columns is None else len(layer_columns)
            if layer_columns is not None:
                end = layer.prefix + count
                layer.keys[:, :, layer.prefix : end] = layer.keys[:, :, layer_columns]
                layer.values[:, :, layer.prefix : end] = layer.values[:, :, layer_columns]
            layer.used = count

    def _new_layer(self, number: int, keys: Any, values: Any) -> _Layer:  # noqa: ANN401 - tensors
        start, end = self.kept_positions(self.kinds.of_layer[number])
        whole_keys, whole_values = self.prefix.layers[number] if self.prefix.ids else (keys[:, :, :0], values[:, :, :0])
        room = 2 * keys.shape[2]
        kept = end - start
        return _Layer(
            _grown(whole_keys[:, :, start:end], kept, kept + room),
            _grown(whole_values[:, :, start:end], kept, kept + room),
            kept,
        )


class PackedSequences:
    """Sequences behind one beginning, all in one row."""

    def __init__(self, model: Any, states: PackedStates, count: int) -> None:  # noqa: ANN401 - a transformers model
        """Begin with sequences that hold the beginning alone.

        Args:
            model: `transformers.PreTrainedModel`.
            states: States that hold the beginning; what earlier sequences added is forgotten.
            count: How many sequences.
        """
        import torch

        states.keep(None)
        self._model, self._states = model, states
        self._cache = cache_argument(model)
        self._device = model.get_input_embeddings().weight.device
        self._lengths = [len(states.prefix.ids)] * count
        self._owners = torch.empty(0, dtype=torch.long, device=self._device)
        self._positions = torch.empty(0, dtype=torch.long, device=self._device)

    def feed(self, tokens: Sequence[Sequence[int]], numbers: Sequence[int]) -> Any:  # noqa: ANN401 - a tensor
        """Append tokens to some sequences; see `Sequences.feed`."""
        import torch

        ids: list[int] = []
        owners: list[int] = []
        positions: list[int] = []
        last: list[int] = []
        for new, number in zip(tokens, numbers, strict=True):
            ids += new
            owners += [number] * len(new)
            positions += range(self._lengths[number], self._lengths[number] + len(new))
            self._lengths[number] += len(new)
            last.append(len(ids) - 1)
        logits = []
        with torch.inference_mode():
            for start in range(0, len(ids), _TOKENS_A_PASS):
                part = slice(start, start + _TOKENS_A_PASS)
                wanted = [column - start for column in last if start <= column < start + _TOKENS_A_PASS]
                found = self._pass(ids[part], owners[part], positions[part], wanted)
                logits.append(found[: len(wanted)])
        return torch.cat(logits).float()

    def drop(self, numbers: Sequence[int]) -> None:
        """Forget sequences that have ended; memory is given to others once half of all tokens are such."""
        import torch

        with torch.inference_mode():  # in which `feed` made what is changed here
            gone = torch.tensor(list(numbers), device=self._device)
            self._owners[torch.isin(self._owners, gone)] = -1
            alive = (self._owners >= 0).nonzero().flatten()
            if 2 * len(alive) < len(self._owners):
                self._states.keep(alive)
                self._owners, self._positions = self._owners[alive], self._positions[alive]

    def _pass(self, ids: list[int], owners: list[int], positions: list[int], wanted: list[int]) -> Any:  # noqa: ANN401
        import torch

        def tensor(values: list[int]) -> Any:  # noqa: ANN401 - a tensor
            return torch.tensor(values, device=self._device)

        self._owners = torch.cat([self._owners, tensor(owners)])
        self._positions = torch.cat([self._positions, tensor(positions)])
        found = self._model(
            input_ids=tensor(ids)[None],
            position_ids=tensor(positions)[None],
            attention_mask=self._masks(tensor(owners), tensor(positions)),
            use_cache=True,
            logits_to_keep=tensor(wanted or [len(ids) - 1]),
            **{self._cache: self._states},
        )
        return found.logits[0]

    def _masks(self, owners: Any, positions: Any) -> Any:  # noqa: ANN401 - tensors
        """Return the mask (1 x 1 x query x key, added to attention scores), or one for every kind of layer."""
        import torch

        kinds = self._states.kinds
        own = self._owners[None, :] == owners[:, None]
        masks = {}
        for kind in kinds.reach:
            start, end = self._states.kept_positions(kind)
            shared = kinds.visible(kind, positions, torch.arange(start, end, device=self._device))
            seen = torch.cat([shared, own & kinds.visible(kind, positions, self._positions)], dim=1)
            mask = torch.zeros(seen.shape, dtype=self._model.dtype, device=self._device)
            masks[kind] = mask.masked_fill_(~seen, torch.finfo(mask.dtype).min)[None, None]
        return masks if len(masks) > 1 else next(iter(masks.values()))


def _grown(states: Any, used: int, length: int) -> Any:  # noqa: ANN401 - a tensor
    larger = states.new_empty((*states.shape[:2], length, states.shape[3]))
    larger[:, :, :used] = states[:, :, :used]
    return larger
