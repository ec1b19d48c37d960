# docker build -t appsvc .                                                     for this machine
# docker buildx build --platform linux/amd64,linux/arm64 -t appsvc .           for both; see docs/docker.md
# The build runs on the building machine and packages for the target, without emulation. Base images are named by the digest of their
# index, which covers both processors; docs/docker.md says how to take newer ones.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
# Set by the builder: amd64 or arm64.
ARG TARGETARCH
# The Node that goes into the executable comes from npm, too, with the digest of package-lock.json. npm installs only that of its own
# processor, so that of another one is installed beside.
RUN case "${TARGETARCH:-$(dpkg --print-architecture)}" in amd64) arch=x64 ;; arm64) arch=arm64 ;; *) echo "appsvc runs on amd64 and arm64"; exit 1 ;; esac \
 && echo "$arch" > .arch \
 && if [ ! -d "node_modules/node-linux-$arch" ]; then mkdir .target && cp package.json package-lock.json .npmrc .target \
 && npm ci --prefix .target --omit=dev --os=linux --cpu="$arch" --no-audit --no-fund \
 && mv ".target/node_modules/node-linux-$arch" node_modules/; fi
COPY . .
RUN npm run package -- --arch "$(cat .arch)" && mv "build/appsvc-linux-$(cat .arch)" /appsvc

FROM debian:bookworm-slim@sha256:96e378d7e6531ac9a15ad505478fcc2e69f371b10f5cdf87857c4b8188404716
RUN groupadd --system --gid 10001 appsvc \
 && useradd --system --uid 10001 --gid appsvc --home-dir /nonexistent --shell /usr/sbin/nologin appsvc \
 && install -d -o appsvc -g appsvc -m 0700 /data
COPY --from=build /appsvc /usr/local/bin/appsvc
ENV APPSVC_DATA_DIR=/data APPSVC_HOST=0.0.0.0 APPSVC_PORT=8080
# glibc gives every thread a heap of its own and returns little of it. Two for all take 20 MB less while a broadcast runs, and no process can
# choose that for itself.
ENV MALLOC_ARENA_MAX=2
USER 10001:10001
WORKDIR /data
VOLUME /data
# /metrics answers inside only: APPSVC_METRICS_ALLOW or APPSVC_METRICS_LISTEN opens it to a Prometheus beside this container.
EXPOSE 8080
STOPSIGNAL SIGTERM
# Bash speaks HTTP well enough, so the image needs no curl.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --start-interval=1s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/$APPSVC_PORT && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["/usr/local/bin/appsvc"]
CMD ["serve"]
