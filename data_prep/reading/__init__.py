"""Reading tables, JSON lines and Parquet files row by row, with every unreadable row named."""
