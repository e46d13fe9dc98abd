"""The demo's pages, one module each: they lay out components and wire them to the rest of `demo`."""
