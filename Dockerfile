# SPDX-License-Identifier: MIT
# docker build -t fathom . && docker run --rm -v "$PWD:/work" fathom simulate room.yaml --out out/room
# Each instruction has one line: tests/packages/root_test.sh reads them.
FROM debian:bookworm-slim AS build
COPY . /fathom
WORKDIR /fathom
RUN tools/install-packages build package
RUN cmake --workflow --preset packages

FROM debian:bookworm-slim
COPY --from=build /fathom/build/packages/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["fathom"]
