# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build
WORKDIR /source
COPY requirements/run.txt requirements/run.txt
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY adapters adapters
COPY bot bot
COPY memory memory
COPY wheels wheels
RUN /venv/bin/pip install --no-cache-dir --no-build-isolation --no-deps .

FROM python:3.11-slim
RUN useradd --uid 10001 --create-home --home-dir /data --shell /usr/sbin/nologin scrubjay
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    SCRUBJAY_HOME=/data \
    SCRUBJAY__HEALTH__PORT=8765
USER 10001
WORKDIR /data
VOLUME /data
HEALTHCHECK --interval=60s --timeout=10s --start-period=120s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/readyz', timeout=8)"]
ENTRYPOINT ["scrubjay"]
CMD ["run"]
