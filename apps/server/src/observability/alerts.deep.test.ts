import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, inject, it } from "vitest";

const { promtool } = inject("services");
const directory = path.resolve(import.meta.dirname, "../../../../ops/prometheus");
const run = (...args: string[]) =>
  spawnSync(promtool ?? "", args, { cwd: directory, encoding: "utf8" });

it.skipIf(!promtool)("the alerts pass promtool's tests", () => {
  const tested = run("test", "rules", "alerts.test.yml");
  expect(tested.stdout + tested.stderr).toMatch(/SUCCESS/);
  expect(tested.status).toBe(0);
  expect(run("check", "rules", "alerts.yml").status).toBe(0);
});
