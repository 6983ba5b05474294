import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { ADMIN_TOKEN, startTestHub } from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const alerts = read("ops/prometheus/alerts.yml");
const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
  read("ops/grafana/soul-hub.json"),
);

const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
const expressions = [
  ...[...alerts.matchAll(/expr: (.+)/g)].map(([, expr = ""]) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

/** The metrics that the program registers. Some exist with one kind of database only. */
async function registeredNames(): Promise<Set<string>> {
  const sources = globSync("packages/api/src/**/*.ts", { cwd: root })
    .filter((file) => !/\.(?:test|fixture)\.ts$/.test(file))
    .map(read);
  const own = sources.flatMap((text) =>
    [...text.matchAll(/"(soulhub_\w+)"/g)].map(([, name = ""]) => name),
  );
  await using hub = await startTestHub();
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const { text } = await hub.guest().get("/metrics", headers);
  const live = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name);
  return new Set([...own, ...live, "up"]);
}

describe("the files for operators", () => {
  it("name only metrics that the hub has", async () => {
    const names = await registeredNames();
    const used = expressions.flatMap((text) =>
      [...text.matchAll(/\b(?:soulhub|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name),
    );
    expect(used.length).toBeGreaterThan(60);
    const unknown = used.filter((name) => {
      const base = name.replace(/_(?:bucket|count|sum)$/, "");
      return !names.has(name) && !names.has(base);
    });
    expect(unknown).toEqual([]);
  });

  it("have an entry in docs/operations.md for each alert", () => {
    expect(alertNames.length).toBeGreaterThanOrEqual(12);
    const guide = read("docs/operations.md");
    const headings = new Set([...guide.matchAll(/^### (\w+)$/gm)].map(([, name]) => name));
    expect(alertNames.filter((name) => !headings.has(name))).toEqual([]);
    const runbooks = [...alerts.matchAll(/runbook: docs\/operations\.md#(\w+)/g)];
    expect(runbooks.map(([, anchor]) => anchor)).toEqual(
      alertNames.map((name) => name.toLowerCase()),
    );
  });

  it("have a test for each alert, of when it fires and when not", () => {
    const tests = read("ops/prometheus/alerts.test.yml");
    const counts = alertNames.map((name) => {
      const cases = [...tests.matchAll(new RegExp(`alertname: ${name}\n +exp_alerts:(.*)`, "g"))];
      return [name, cases.map(([, expected = ""]) => expected.trim())];
    });
    expect(counts).toEqual(alertNames.map((name) => [name, ["", "[]"]]));
  });
});
