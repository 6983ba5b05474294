import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Actor, startTestHub, type TestHub } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyOf, startMachine } from "./soul-hub.fixture.ts";

const run = promisify(execFile);
const source = path.join(import.meta.dirname, "..");

/** The package that npm publishes (0055). */
describe("the package", () => {
  let hub: TestHub;
  let ada: Actor;
  let folder: string;
  let installed: string;
  beforeAll(async () => {
    hub = await startTestHub();
    ada = await hub.member("ada");
    folder = await mkdtemp(path.join(tmpdir(), "soul-hub-package-"));
    const env = { ...process.env, npm_config_cache: path.join(folder, "cache") };
    const pack = ["pack", "--json", "--pack-destination", folder];
    await run("npm", pack, { cwd: source, env });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
    await writeFile(path.join(folder, "package.json"), "{}");
    const install = ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`];
    await run("npm", install, { cwd: folder, env });
    installed = path.join(folder, "node_modules/soul-hub");
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await hub.close();
  });

  it("is one JavaScript file that needs no other package", async () => {
    expect(await readdir(path.join(folder, "node_modules"))).toEqual([
      ".bin",
      ".package-lock.json",
      "soul-hub",
    ]);
    expect(await readdir(path.join(installed, "dist"))).toEqual(["soul-hub.js"]);
    const text = await readFile(path.join(installed, "dist/soul-hub.js"), "utf8");
    const imported = text.matchAll(/^import .*?from "([^"]+)";$|\b__require\("([^"]+)"\)/gm);
    const names = [...imported].map(([, imports, requires]) => imports ?? requires ?? "");
    expect(names).toContain("node:zlib");
    expect(names.filter((name) => !isBuiltin(name))).toEqual([]);
    // The licenses require that each copy of a library includes its license text.
    for (const library of ["commander", "diff", "yauzl"]) {
      expect(text).toMatch(
        new RegExp(`^${library} [\\d.]+ \\(\\S+\\)\n\n.*(?:License|Copyright)`, "m"),
      );
    }
  });

  it("names the Node that it needs on an older one", async () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '22.3.0' })";
    const main = path.join(installed, "dist/soul-hub.js");
    const args = ["--import", `data:text/javascript,${older}`, main, "show", "1"];
    await expect(run(process.execPath, args)).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: "soul-hub needs Node 22.4 or later. This is Node 22.3.0.\n",
    });
  });

  it("runs where it is installed", async () => {
    const main = path.join(installed, "dist/soul-hub.js");
    await using machine = await startMachine(hub);
    const { version } = JSON.parse(await readFile(path.join(source, "package.json"), "utf8"));
    expect((await machine.run(["--version"], { main })).stdout).toBe(`${version}\n`);
    const { stdout } = await run(path.join(folder, "node_modules/.bin/soul-hub"), ["--help"]);
    expect(stdout).toContain("Usage: soul-hub [options] [command]");
    const { body } = await ada.post("/api/souls", { title: "Keeper", content: "I keep." });
    const env = { SOUL_HUB_KEY: await keyOf(ada) };
    expect((await machine.run(["pull", String(body.id), "keeper"], { main, env })).code).toBe(0);
    await writeFile(path.join(machine.folder, "keeper/SOUL.md"), "I keep it.");
    expect((await machine.run(["publish", "keeper"], { main, env })).code).toBe(0);
    expect((await ada.get(`/api/soul/${body.id}`)).body.data.content).toBe("I keep it.");
  });

  it.each(["bash", "zsh", "fish"])("completes commands and options in %s", async (shell) => {
    const main = path.join(installed, "dist/soul-hub.js");
    await using machine = await startMachine(hub);
    const script = await machine.run(["completion", shell], { main });
    expect([script.code, script.stdout]).toEqual([0, expect.stringContaining("soul-hub")]);
    const words = await machine.run(["complete", "--", "pub"], { main });
    expect(words.stdout).toMatch(/^publish\t/m);
    const options = await machine.run(["complete", "--", "publish", "--d"], { main });
    expect(options.stdout).toMatch(/^--dry-run\t/m);
  });
});
