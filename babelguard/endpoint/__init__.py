"""What every network service has in common: its address, its key, its budget, its failures, and asking again."""
