"""Causal language models in this process: loading, prompts as tokens, and batches that share a prompt's beginning.

One prompt is used for thousands of items: a rubric or a guard's policy of a thousand tokens, then twenty tokens of the
item. The modules here compute the key-value states of that beginning once and let all items read them:

- `loading`: a model and its tokenizer from a hub name, a folder or a GGUF file (`gguf` keeps a copy as safetensors);
- `encoding`: prompts as tokens, in which no text can write a control token;
- `prefixes`: the key-value states of beginnings that prompts have in common;
- `packed`: many sequences in one row behind one shared beginning, without padding and without a copy of it;
- `padded`: the same sequences as an ordinary padded batch, for models that cannot be packed, and to check by;
- `sequences`: what such batches have in common;
- `halving`: batches that halve when memory runs out;
- `writing`: generation, greedy or sampled, token by token;
- `choosing`: answers with a forced skeleton, in which only listed choices are read from the logits;
- `local_model`: all of it behind two methods, `generate` and `choose`;
- `shelf`: one model in memory at a time, whoever asks for it.
"""
