/** `pnpm build`: what has to be built, through turbo, which skips what has not changed. */
import { spawnSync } from "node:child_process";

const { status } = spawnSync("turbo run build", {
  shell: true,
  stdio: "inherit",
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
});
process.exitCode = status ?? 1;
