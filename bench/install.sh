#!/bin/sh
# Installs what the benches compare with, from Debian: nghttpd and h2load (nghttp2), wrk, PostgreSQL's command line.
# By hand only, as root: neither npm install nor a test runs it.
set -eu
missing=
for pair in nghttpd:nghttp2-server h2load:nghttp2-client wrk:wrk pg_dump:postgresql; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || [ -x "/usr/sbin/${pair%%:*}" ] || missing="$missing ${pair#*:}"
done
if [ -z "$missing" ]; then
  echo 'nghttpd, h2load, wrk and PostgreSQL are there'
  exit 0
fi
apt-get update
# shellcheck disable=SC2086
apt-get install --yes --no-install-recommends $missing
