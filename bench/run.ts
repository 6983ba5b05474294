/**
 * `pnpm bench <name> [row…]` runs one benchmark. Arguments after the name select rows by parts of
 * their names. bench/README.md explains the results.
 */
const benches: Record<string, () => Promise<{ run(rows: string[]): Promise<boolean> }>> = {
  attacks: () => import("./attacks/attacks.bench.ts"),
  backup: () => import("./backup/backup.bench.ts"),
  chat: () => import("./chat/chat.bench.ts"),
  rest: () => import("./rest/rest.bench.ts"),
  rooms: () => import("./rooms/rooms.bench.ts"),
  souls: () => import("./souls/souls.bench.ts"),
  traces: () => import("./traces/traces.bench.ts"),
  upkeep: () => import("./upkeep/upkeep.bench.ts"),
  upgrade: () => import("./upgrade/upgrade.bench.ts"),
  sync: () => import("./sync/sync.bench.ts"),
};

const name = process.argv[2] ?? "";
const load = benches[name];
if (load) {
  const { run } = await load();
  process.exitCode = (await run(process.argv.slice(3))) ? 0 : 1;
} else {
  console.error(`Name a benchmark: pnpm bench ${Object.keys(benches).join(" | ")}`);
  process.exitCode = 2;
}
