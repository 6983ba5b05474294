/**
 * `pnpm build`: builds the packages with turbo, which skips unchanged ones. Arguments go to turbo:
 * `--filter=soul-hub-server` builds the bundle and the packages that the bundle contains.
 */
import { spawnSync } from "node:child_process";

const { status } = spawnSync(`turbo run build ${process.argv.slice(2).join(" ")}`, {
  shell: true,
  stdio: "inherit",
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
});
process.exitCode = status ?? 1;
