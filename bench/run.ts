/**
 * `pnpm bench <name> [row…]`: runs one of the measured comparisons, or those of its rows whose names
 * hold one of these. bench/README.md says how to read them.
 */
const benches: Record<string, () => Promise<{ run(rows: string[]): Promise<boolean> }>> = {
  chat: () => import("./chat/chat.bench.ts"),
  rest: () => import("./rest/rest.bench.ts"),
  rooms: () => import("./rooms/rooms.bench.ts"),
  souls: () => import("./souls/souls.bench.ts"),
};

const name = process.argv[2] ?? "";
const load = benches[name];
if (load) {
  const { run } = await load();
  process.exitCode = (await run(process.argv.slice(3))) ? 0 : 1;
} else {
  console.error(`Which one? pnpm bench ${Object.keys(benches).join(" | ")}`);
  process.exitCode = 2;
}
