/** `pnpm build`: builds the packages with turbo, which skips unchanged ones. */
import { spawnSync } from "node:child_process";

const { status } = spawnSync("turbo run build", {
  shell: true,
  stdio: "inherit",
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
});
process.exitCode = status ?? 1;
