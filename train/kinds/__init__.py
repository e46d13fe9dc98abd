"""The kinds of guards that can be trained: one module each, which defines `KIND`."""
