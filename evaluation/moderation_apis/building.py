"""Makes the rater of a moderation service from what its recipe says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from babelguard.checksums import hash_of
from babelguard.endpoint.address import checked_address
from babelguard.endpoint.budget import Budget, BudgetRecipe
from babelguard.endpoint.client import EndpointClient
from babelguard.endpoint.retry import TrafficRecipe
from babelguard.endpoint.secrets import read_secret
from babelguard.errors import UserError, unknown_name
from babelguard.taxonomy import TaxonomyMapping
from evaluation.moderation_apis.levels import check_cut_points
from evaluation.moderation_apis.pieces import OVERLAP
from evaluation.moderation_apis.rater import ModerationRater
from evaluation.moderation_apis.service import ModerationService
from evaluation.rater import Workbench

_VERSION = 1


def build_rater(
    name: str,
    bench: Workbench,
    service: ModerationService,
    *,
    base_url: str,
    key_variable: str | None,
    header: str,
    prefix: str = "",
    mapping: Mapping[str, Sequence[str]],
    known_labels: Sequence[str] | None,
    cut_points: Mapping[str, Sequence[float]],
    traffic: TrafficRecipe,
    budget: BudgetRecipe,
) -> ModerationRater:
    """Make the rater; nothing is sent yet.

    Args:
        name: The rater's name.
        bench: What the run lends.
        service: How the service is asked and read.
        base_url: Its address.
        key_variable: Environment variable of its key.
        header: The header that carries the key.
        prefix: What stands before the key in that header.
        mapping: The service's label -> our categories.
        known_labels: All labels that the service has; `None` where they are not known beforehand.
        cut_points: Our category -> scores above which levels 2, 3, ... begin.
        traffic: How the service is asked.
        budget: What it may cost.

    Raises:
        UserError: Mapping, cut points or address are wrong, or the key is missing.
    """
    for label in mapping:
        if known_labels is not None and label not in known_labels:
            raise unknown_name(f"label of {service.title}", label, known_labels)
    table = {label: tuple(categories) for label, categories in mapping.items()}
    carried = TaxonomyMapping(service.title, bench.taxonomy, table)
    covers = tuple(name for name in bench.taxonomy.names if name not in carried.not_covered)
    if not covers:
        raise UserError(f"The mapping of {service.title} speaks for no category; name at least one.")
    check_cut_points(cut_points, bench.taxonomy)
    address = checked_address(base_url, key_variable is not None, traffic.plain_http)
    secret = read_secret(key_variable, service.title)
    headers = {} if key_variable is None else {header: f"{prefix}{secret.reveal()}"}
    decisive = (repr(service), table, dict(cut_points), OVERLAP, bench.taxonomy.names)
    return ModerationRater(
        name=name,
        description=f"{service.title}; covers {len(covers)} of {len(bench.taxonomy)} categories.",
        covers=covers,
        fingerprint=hash_of("moderation", _VERSION, address, decisive),
        taxonomy=bench.taxonomy,
        service=service,
        mapping=carried,
        client=EndpointClient(address, headers, secret, traffic, Budget(budget)),
        cache=bench.cache,
        cut_points=cut_points,
    )
