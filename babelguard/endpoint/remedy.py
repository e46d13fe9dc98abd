"""The sentence for a service that cannot be used as the recipe describes it."""

from __future__ import annotations

from babelguard.endpoint.failure import Kind, RequestFailedError
from babelguard.endpoint.secrets import Secret
from babelguard.errors import UserError


def unusable(url: str, failure: RequestFailedError, secret: Secret, showing: bool = True) -> UserError:
    """Return the error that names the address, what it answered and what to do.

    Args:
        url: Where the request went, without its query.
        failure: What came back.
        secret: The key that was sent; it is kept out of the sentence, its variable is named.
        showing: Whether the service's own words may be shown; they could quote what was sent.
    """
    words = f": {secret.redact(failure.message).rstrip('.')}" if showing and failure.message else ""
    return UserError(f"{url}: {secret.redact(failure.detail)}{words}. {_remedy(failure, secret.variable)}")


def _remedy(failure: RequestFailedError, variable: str | None) -> str:
    status = failure.http_status
    if status in {401, 403} and variable is None:
        remedy = "It wants a key: name the environment variable that holds it with key_variable."
    elif status in {401, 403} or failure.code in {"api_key_invalid", "invalid_api_key"}:
        remedy = f"Check the key in the environment variable {variable} and what it may be used for."
    elif failure.kind is Kind.BUDGET:
        remedy = "The budget does not cover one request; raise budget.max_cost."
    elif failure.kind is Kind.SETUP and status is not None and status < 400:
        remedy = "It sends requests elsewhere; set base_url to the service's own address."
    elif failure.kind is Kind.SETUP:
        remedy = "The account has no credit or quota left; ratings that are stored are kept."
    elif status == 404:
        remedy = "Check base_url and the model's name."
    elif status is not None and status < 300:
        remedy = "Check that base_url is the root of the API, such as https://host/v1."
    elif failure.kind is Kind.ITEM:
        remedy = "It rejects requests as the recipe makes them; change the options that it names."
    else:
        remedy = "Check base_url, that the service runs, and the network; then start again."
    return remedy
