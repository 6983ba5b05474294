import type { Bench } from "./runner/bench.ts";

/** The benchmarks by name. */
export const benches: Record<string, () => Promise<{ bench: Bench }>> = {
  attacks: () => import("./attacks/attacks.bench.ts"),
  backup: () => import("./backup/backup.bench.ts"),
  chat: () => import("./chat/chat.bench.ts"),
  rest: () => import("./rest/rest.bench.ts"),
  rooms: () => import("./rooms/rooms.bench.ts"),
  souls: () => import("./souls/souls.bench.ts"),
  sync: () => import("./sync/sync.bench.ts"),
  traces: () => import("./traces/traces.bench.ts"),
  upgrade: () => import("./upgrade/upgrade.bench.ts"),
  upkeep: () => import("./upkeep/upkeep.bench.ts"),
};

export async function loadBench(name: string): Promise<Bench> {
  const load = benches[name];
  if (!load) throw new Error(`There is no bench ${name}, but ${Object.keys(benches).join(", ")}.`);
  return (await load()).bench;
}
