# An image of Parley: docker build -t parley . (docs/containers.md)
# Both stages need glibc: Node.js, PostgreSQL and what hears on calls come as programs for it.

FROM node:24-bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# Packages by the lock file, the pinned Node.js among them, which then bundles the console and writes what an image holds.
RUN sh parley --install && node_modules/node-linux-*/bin/node scripts/image.ts /image

FROM debian:bookworm-slim
# Node.js needs libatomic1. For simulated people with a voice: --build-arg EARS="libpocketsphinx3 pocketsphinx-en-us"
ARG EARS=""
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 $EARS && rm -rf /var/lib/apt/lists/*
# PostgreSQL asks for the name of the user it runs as, and never runs as root.
RUN useradd --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin parley && install -d -o parley -g parley -m 700 /data
COPY --from=build /image /opt/parley
USER parley
WORKDIR /data
# The program's own folder stays unwritable: compiled code is kept beside the data.
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/data NODE_COMPILE_CACHE=/data/.compiled
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["sh", "-c", "/opt/parley/node_modules/node-linux-*/bin/node -e 'fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))'"]
# SIGTERM reaches the program itself: turns and calls get ten seconds, then the database shuts down.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/parley/parley"]
CMD ["start"]
