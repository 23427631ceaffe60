# Scrubjay with all its extras, for `scrubjay run`: docs/install.md tells how to use it.
ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY requirements/run.txt requirements/run.txt
RUN python -m venv /opt/scrubjay && /opt/scrubjay/bin/pip install --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY adapters adapters
COPY bot bot
COPY memory memory
COPY wheels wheels
RUN /opt/scrubjay/bin/pip install --no-build-isolation --no-deps .

FROM python:${PYTHON}
COPY --from=build /opt/scrubjay /opt/scrubjay
RUN useradd --uid 1000 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin scrubjay \
 && install --directory --owner scrubjay --group scrubjay --mode 0700 /data /shared
ENV PATH=/opt/scrubjay/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    SCRUBJAY_HOME=/data \
    SCRUBJAY__HEALTH__PORT=8788
USER 1000
VOLUME /data
WORKDIR /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=120s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8788/livez', timeout=8)"]
ENTRYPOINT ["scrubjay"]
CMD ["run"]
