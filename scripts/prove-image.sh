#!/bin/sh
# Does the Dockerfile's steps without a container engine, as root on Debian with debootstrap: a root file system of
# Debian's smallest packages, the image's folder in it, and the program started there as the image's user. Says what it
# saw, and ends with 1 at the first thing that is not as it should be.
#   sh scripts/prove-image.sh [FOLDER]
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
work=${1:-$(mktemp -d)}
rootfs=$work/rootfs
port=${PORT:-8089}
fail() { echo "prove-image: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "a root file system is made as root"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

program=
clean() {
  [ -z "$program" ] || kill -KILL "$program" 2>/dev/null || :
  umount "$rootfs/proc" 2>/dev/null || :
  [ -n "${1-}" ] || rm -rf "$work"
}
trap 'clean "${KEEP-}"' EXIT

debootstrap --variant=minbase --include=libatomic1 bookworm "$rootfs" >"$work.log" 2>&1 || fail "debootstrap failed; see $work.log"
# What the smallest image of Debian leaves out.
rm -rf "$rootfs"/var/lib/apt/lists/* "$rootfs"/var/cache/apt/* "$rootfs"/usr/share/doc/* "$rootfs"/usr/share/man/* \
  "$rootfs"/usr/share/locale/* "$rootfs"/usr/share/info/* "$rootfs"/var/log/*
echo "base: $(du -sm "$rootfs" | cut -f1) MB"
node=$(ls "$root"/node_modules/node-linux-*/bin/node)
"$node" "$root/scripts/image.ts" "$rootfs/opt/parley"
echo "Parley: $(du -sm "$rootfs/opt/parley" | cut -f1) MB"
total=$(du -sm "$rootfs" | cut -f1)
echo "image: $total MB"
[ "$total" -le 400 ] || fail "the image is larger than 400 MB"

chroot "$rootfs" useradd --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin parley
chroot "$rootfs" install -d -o parley -g parley -m 700 /data
mount -t proc proc "$rootfs/proc" 2>/dev/null || echo "(without /proc: this machine lets nobody mount)"
for device in null zero random urandom; do [ -e "$rootfs/dev/$device" ] || cp -a "/dev/$device" "$rootfs/dev/"; done

chroot --userspec=10001:10001 "$rootfs" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/data HOST=127.0.0.1 \
  PORT="$port" DATA_DIR=/data NODE_COMPILE_CACHE=/data/.compiled /opt/parley/parley start >"$work.log" 2>&1 &
program=$!
ready=
for _ in $(seq 120); do
  kill -0 "$program" 2>/dev/null || { cat "$work.log"; fail "it ended"; }
  if curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; then ready=yes; break; fi
  sleep 0.5
done
[ -n "$ready" ] || fail "it was not ready within a minute"
echo "ready: $(grep -o 'ready in [0-9.]* s' "$work.log")"
curl -fs "http://127.0.0.1:$port/chat/demo-clinic" | grep -q '<html' || fail "no chat page"
curl -fs "http://127.0.0.1:$port/console/" | grep -q '<html' || fail "no console"
! grep -q "bundled once" "$work.log" || fail "the console was not in the image"
[ "$(stat -c %u "/proc/$program")" = 10001 ] || fail "it does not run as its user"
[ -z "$(find "$rootfs/opt/parley" -user 10001 -print -quit)" ] || fail "it wrote into its own folder"
kill -TERM "$program"
status=0
wait "$program" || status=$?
program=
[ "$status" = 0 ] || fail "told to stop, it ended with $status"
echo "stopped in order"
