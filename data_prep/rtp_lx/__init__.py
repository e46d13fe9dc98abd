"""RTP-LX as its publishers ship it: which files there are, how rows align, and what the paper left out."""
