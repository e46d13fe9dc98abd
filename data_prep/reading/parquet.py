"""Parquet files as rows, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from babelguard.errors import UserError
from babelguard.rejects import RejectLog
from data_prep.reading.delimited import header_problem
from data_prep.reading.row import Row

BATCH_ROWS = 2048


def read_parquet(path: Path, log: RejectLog, *, needed: Sequence[str] = ()) -> Iterator[Row]:
    """Yield the rows of a file; one without a needed column goes to `log` as a whole.

    Raises:
        UserError: The file does not exist or is not Parquet, or the log is strict.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            problem = header_problem(file.schema_arrow.names, needed)
            if problem:
                log.reject_file(path, 1, "another-schema", problem)
                return
            number = 0
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                for fields in batch.to_pylist():
                    number += 1
                    log.found_row(path)
                    yield Row(path, number, number, fields)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the path.") from None
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise UserError(f"{path} cannot be read as Parquet ({error!s:.120}); is it whole?") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
