"""Policies: what is done about a guard's ratings, per category and language."""

from serve.policies.deciding import Decider, Decision, MatchedRule
from serve.policies.document import Action, PolicyDocument
from serve.policies.loading import DEFAULT_POLICY, Policy, load_policy
from serve.policies.store import PolicyStore

__all__ = [
    "DEFAULT_POLICY",
    "Action",
    "Decider",
    "Decision",
    "MatchedRule",
    "Policy",
    "PolicyDocument",
    "PolicyStore",
    "load_policy",
]
