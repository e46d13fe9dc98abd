"""Chat templates with the published layout of each family: control tokens, roles, order, and what stands at the end.

Their policies are shortened; the models of the presets bring their own templates.
"""

from __future__ import annotations

_ROLE = "{%- set role = 'User' if messages | length % 2 == 1 else 'Agent' -%}"
_TASK = (
    "Task: Check if there is unsafe content in '{{ role }}' messages in conversations according our safety policy with "
    "the below categories.\n\n<BEGIN UNSAFE CONTENT CATEGORIES>\nS1: Violent Crimes.\nS10: Hate.\n"
    "<END UNSAFE CONTENT CATEGORIES>\n\n<BEGIN CONVERSATION>\n\n"
)
_TURNS = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) -%}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ 'User' if m.role == 'user' else 'Agent' }}: "
)
_CONTENT = "{{ m.content | trim }}\n\n"
_ASSESS = (
    "{% endfor %}<END CONVERSATION>\n\nProvide your safety assessment for ONLY THE LAST {{ role }} message in the "
    "above conversation:\n - First line must read 'safe' or 'unsafe'.\n - If unsafe, a second line must include a "
    "comma-separated list of violated categories."
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
    "{{ bos_token }}You are a policy expert trying to help determine whether "
    "{{ 'an AI response to a user prompt' if response else 'a user prompt' }} is in violation of the defined safety "
    "policies.\n\n<start_of_turn>\nHuman Question: {{ messages[0].content | trim }}\n"
    "{% if response %}{{ '\n' }}Chatbot Response: {{ response | trim }}{{ '\n' }}{% endif %}<end_of_turn>\n\n"
    "Our safety principle is defined in the below:\n\n* {{ guideline }}\n\nDoes the "
    "{{ 'chatbot response' if response else 'human question' }} violate the above principle? Your answer must start "
    "with 'Yes' or 'No'. And then walk through step by step to be sure we answer correctly.\n"
)
GRANITE = (
    "<|start_of_role|>user<|end_of_role|>You are a safety agent trying to help determine whether the last "
    "{{ messages[-1].role }} message is harmful according to the safety risk definition below.\n\n<start_of_turn>\n"
    "User Message: {{ messages[0].content }}\n{% if messages | length > 1 %}Assistant Message: "
    "{{ messages[1].content }}\n{% endif %}<end_of_turn>\n\nOur safety risk definition is defined below:\n\n"
    "* {{ guardian_config.risk_name | default(guardian_config.criteria_id) }}\n\nIs the message harmful based on the "
    "risk definition? Your answer must be either 'Yes' or 'No'.<|end_of_text|>\n"
    "<|start_of_role|>assistant<|end_of_role|>"
)
QWEN3_GUARD = (
    "{%- set role = 'USER' if messages[-1].role == 'user' else 'ASSISTANT' -%}<|im_start|>user\n# Task: Evaluate "
    "whether THE LAST {{ role }} belongs to safe or unsafe content.\n\n<BEGIN CONVERSATION>\n\n"
    "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n\n{% endfor %}<END CONVERSATION>\n<|im_end|>\n"
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
