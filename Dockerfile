# A guard server. CPU, slim:
#   docker build -t babelguard .
# NVIDIA GPUs:
#   docker build -t babelguard:gpu --build-arg VARIANT=gpu .
# Run it, with a bundle and keys (docs/serving.md says more):
#   docker run -p 8000:8000 --read-only --tmpfs /tmp -e BABELGUARD_API_KEYS=NAME:KEY -v /path/to/bundle:/bundle:ro babelguard /bundle
# Another port: -e BABELGUARD__PORT=9000, which the health check reads too.
ARG VARIANT=cpu

FROM python:3.11-slim-bookworm AS base-cpu

# CUDA and cuDNN must be of the major versions that onnxruntime-gpu is built for; its documentation has the table.
FROM nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04 AS base-gpu
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

FROM base-${VARIANT} AS build
ARG VARIANT
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY babelguard babelguard
COPY serve serve
COPY recipes/serve recipes/serve
RUN python3 -m venv /opt/babelguard \
    && /opt/babelguard/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
        --constraint constraints.txt ".[serve,${VARIANT}]" \
    && /opt/babelguard/bin/python -m pip uninstall --yes pip

FROM base-${VARIANT}
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin babelguard
COPY --from=build /opt/babelguard /opt/babelguard
# Others reach a container's port, so keys are needed: the server does not start without BABELGUARD_API_KEYS.
ENV BABELGUARD__HOST=0.0.0.0 \
    MALLOC_ARENA_MAX=2 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /tmp
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["/opt/babelguard/bin/python", "-P", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ.get('BABELGUARD__PORT', '8000') + '/readyz', timeout=2)"]
# exec form: the server is process 1 and gets SIGTERM itself. Without an argument it serves the starter guard.
# -P: no module is taken from the working directory, where anybody may write.
ENTRYPOINT ["/opt/babelguard/bin/python", "-P", "-m", "serve.run"]
