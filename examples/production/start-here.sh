#!/usr/bin/env bash
# The hub of compose.yaml on this machine, without containers and TLS: two hubs, PostgreSQL, Valkey
# or Redis, HAProxy and Prometheus, on free ports of the loopback interface. Ctrl-C stops them all
# and removes their data. Needs these programs of Debian, and `npx -y pnpm@12 build` once:
#   apt-get install postgresql redis-server haproxy prometheus
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
PATH=$PATH:/usr/sbin
node=$root/node_modules/.bin/node
scratch=$(mktemp -d)
chmod 755 "$scratch"
started=()

stop() {
  trap - EXIT INT TERM
  # The last one started stops first: the hubs before their database.
  for ((at = ${#started[@]} - 1; at >= 0; at--)); do
    kill "${started[at]}" 2>/dev/null && wait "${started[at]}" || true
  done
  rm -rf "$scratch"
}
trap stop EXIT
trap 'exit 0' INT TERM

# Starts a program in the background. Its output goes to a file named after it.
run() {
  local name=$1
  shift
  "$@" >"$scratch/$name.log" 2>&1 </dev/null &
  started+=($!)
}
free_port() {
  "$node" -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => {
    console.log(server.address().port);
    server.close();
  })'
}
# Waits until a command succeeds, at most a minute.
await() {
  local name=$1
  shift
  for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done
  echo "$name did not start:" >&2
  tail -20 "$scratch/$name.log" >&2
  exit 1
}
# PostgreSQL refuses to run as root.
as_postgres=()
[ "$(id -u)" != 0 ] || as_postgres=(setpriv --reuid postgres --regid postgres --init-groups)
answers() { curl --fail --silent --max-time 2 "http://127.0.0.1:$1"; }

postgres_port=$(free_port) redis_port=$(free_port) one=$(free_port) two=$(free_port)
one_metrics=$(free_port) two_metrics=$(free_port)
haproxy_port=$(free_port) prometheus_port=$(free_port)

programs=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb | sort -V | tail -1)")
mkdir "$scratch/postgres"
[ "$(id -u)" != 0 ] || chown postgres "$scratch/postgres"
"${as_postgres[@]}" "$programs/initdb" --pgdata "$scratch/postgres/data" --auth trust --username hub --encoding UTF8 --locale C.UTF-8 >/dev/null
run postgres "${as_postgres[@]}" "$programs/postgres" -D "$scratch/postgres/data" -p "$postgres_port" \
  -c listen_addresses=127.0.0.1 -c "unix_socket_directories=$scratch/postgres"
redis=$(command -v valkey-server || command -v redis-server)
run redis "$redis" --bind 127.0.0.1 --port "$redis_port" --save '' --appendonly no --dir "$scratch"
await postgres "$programs/pg_isready" --host 127.0.0.1 --port "$postgres_port"
"$programs/createdb" --host 127.0.0.1 --port "$postgres_port" --username hub hub

export MASTER_KEYS ADMIN_TOKEN
MASTER_KEYS=k1:$(head -c 32 /dev/urandom | base64)
ADMIN_TOKEN=$(head -c 24 /dev/urandom | base64 | tr -d '/+=')
hub() {
  HOST=127.0.0.1 PORT=$1 METRICS_PORT=$2 BASE_URL=http://127.0.0.1:$haproxy_port TRUST_PROXY=127.0.0.1 \
    DATABASE_URL=postgres://hub@127.0.0.1:$postgres_port/hub REDIS_URL=redis://127.0.0.1:$redis_port \
    DATA_DIR=$scratch/data exec "$node" "$root/apps/soul-hub-server/dist/main.js" start
}
run hub-one hub "$one" "$one_metrics"
await hub-one answers "$one/readyz"
run hub-two hub "$two" "$two_metrics"
await hub-two answers "$two/readyz"

HUB_BIND=127.0.0.1:$haproxy_port HUB_ONE=127.0.0.1:$one HUB_TWO=127.0.0.1:$two \
  run haproxy haproxy -db -f "$root/examples/two-servers/haproxy.cfg"
await haproxy answers "$haproxy_port/readyz"

cp "$root/ops/prometheus/alerts.yml" "$scratch"
(umask 077 && printf %s "$ADMIN_TOKEN" >"$scratch/admin_token")
sed -e "s/hub-one:9464/127.0.0.1:$one_metrics/; s/hub-two:9464/127.0.0.1:$two_metrics/; s|/run/secrets|$scratch|" \
  "$here/prometheus.yml" >"$scratch/prometheus.yml"
run prometheus prometheus --config.file="$scratch/prometheus.yml" \
  --storage.tsdb.path="$scratch/prometheus" --web.listen-address="127.0.0.1:$prometheus_port"
await prometheus answers "$prometheus_port/-/ready"

cat <<EOF
The hub is open at http://127.0.0.1:$haproxy_port
  hubs        http://127.0.0.1:$one and http://127.0.0.1:$two
  Prometheus  http://127.0.0.1:$prometheus_port/targets
  the tool    BASE_URL=http://127.0.0.1:$haproxy_port ADMIN_TOKEN=$ADMIN_TOKEN npx -y pnpm@12 hub --help
  logs        $scratch/*.log
EOF
# As soon as one of them ends, all are stopped.
wait -n "${started[@]}"
echo "A program ended: see the end of the logs." >&2
tail -n 5 "$scratch"/*.log >&2
exit 1
