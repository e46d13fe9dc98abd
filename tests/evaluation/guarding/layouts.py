"""Chat templates in the form of each family: its control tokens, roles, order, and what stands at the end.

Their sentences are made up for the tests; the models of the presets bring their publishers' own.
"""

from __future__ import annotations

_ROLE = "{%- set role = 'User' if messages | length % 2 == 1 else 'Agent' -%}"
_TASK = (
    "Tell whether the last message, by {{ role }}, does harm of one of the kinds below.\n\n<KINDS>\nS1: Fighting.\n"
    "S10: Scorn.\n</KINDS>\n\n<TALK>\n\n"
)
_TURNS = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) -%}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ 'User' if m.role == 'user' else 'Agent' }}: "
)
_CONTENT = "{{ m.content | trim }}\n\n"
_ASSESS = (
    "{% endfor %}</TALK>\n\nWrite safe or unsafe about what {{ role }} said last, and below unsafe the kinds, with "
    "commas between them."
)
LLAMA_GUARD_1 = _ROLE + "{{ bos_token }}[INST] " + _TASK + _TURNS + _CONTENT + _ASSESS + " [/INST]"
LLAMA_GUARD_3 = (
    _ROLE
    + "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n"
    + _TASK
    + _TURNS
    + _CONTENT
    + _ASSESS
    + "<|eot_id|><|start_header_id|>assistant<|end_header_id|>"
)
LLAMA_GUARD_3_PARTS = LLAMA_GUARD_3.replace(
    _CONTENT,
    "{% for part in m.content | selectattr('type', 'equalto', 'text') %}{{ part.text | trim }}\n\n{% endfor %}",
)
LLAMA_GUARD_4 = (
    LLAMA_GUARD_3_PARTS.replace("start_header_id", "header_start")
    .replace("end_header_id", "header_end")
    .replace("eot_id", "eot")
)
SHIELD_GEMMA = (
    "{%- set response = messages | selectattr('role', 'equalto', 'assistant') | map(attribute='content') | join -%}"
    "{{ bos_token }}Does {{ 'the reply' if response else 'the question' }} break the rule behind it?\n\n"
    "<start_of_turn>\nQuestion: {{ messages[0].content | trim }}\n"
    "{% if response %}{{ '\n' }}Reply: {{ response | trim }}{{ '\n' }}{% endif %}<end_of_turn>\n\n"
    "Rule:\n\n* {{ guideline }}\n\nWrite Yes or No first.\n"
)
GRANITE = (
    "<|start_of_role|>user<|end_of_role|>Is the last message, by {{ messages[-1].role }}, harmful as said below?\n\n"
    "<start_of_turn>\nUser: {{ messages[0].content }}\n{% if messages | length > 1 %}Assistant: "
    "{{ messages[1].content }}\n{% endif %}<end_of_turn>\n\n"
    "* {{ guardian_config.risk_name | default(guardian_config.criteria_id) }}\n\nWrite Yes or No.<|end_of_text|>\n"
    "<|start_of_role|>assistant<|end_of_role|>"
)
QWEN3_GUARD = (
    "{%- set role = 'USER' if messages[-1].role == 'user' else 'ASSISTANT' -%}<|im_start|>user\n"
    "How safe is what {{ role }} said last?\n\n<TALK>\n\n"
    "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n\n{% endfor %}</TALK>\n<|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
)
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MISTRAL = (
    "{{ bos_token }}[INST]{% if messages[0].role == 'system' %}{{ messages[0].content }}\n\n{% endif %}"
    "{{ messages[-1].content }}[/INST]"
)

WORDS = {
    "template": (
        "[INST] Read what {role} said last and write whether it is harmful.\n\n{conversation}\n\n"
        "Asked: {prompt}\nAnswered: {response}\n[/INST]"
    ),
    "system": "You read one question and one answer. Write what you think of both, in the form that you know.",
    "guidelines": "".join(
        f"{policy}:\n  prompt: A question must not be about {policy}.\n  response: An answer must not be {policy}.\n"
        for policy in ("dangerous-content", "harassment", "hate-speech", "sexually-explicit")
    ),
}
"""What a user would bring for presets whose publisher's words stand on the model's card alone, by form."""
