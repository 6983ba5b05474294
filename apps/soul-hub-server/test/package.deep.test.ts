import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { PASSWORD, type ServerProcess, startServerProcess } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
/** Vitest sets NODE_ENV to "test", with which Vite bundles React's development build. */
const env = { ...process.env, NODE_ENV: "production" };

/** The package that npm publishes, installed in an empty folder (0072). */
describe("the package", () => {
  let folder: string;
  let program: string;
  let server: ServerProcess;
  /** Runs a command of the operator's tool in the folder. Vitest's environment has a BASE_URL. */
  const hub = (...args: string[]) =>
    run(process.execPath, [program, ...args], { cwd: folder, env: { PATH: process.env.PATH } });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "soul-hub-server-"));
    // npm does not resolve the catalog's versions.
    const pack = ["-y", "pnpm@12", "--filter", "soul-hub-server", "pack"];
    await run("npx", [...pack, "--pack-destination", folder], { cwd: root, env });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
    await writeFile(path.join(folder, "package.json"), "{}");
    const install = ["install", "--no-audit", "--no-fund", `./${tarball}`];
    await run("npm", install, { cwd: folder, env });
    program = path.join(folder, "node_modules/.bin/soul-hub-server");
    const data = { STARTER_SOULS: "on", DATA_DIR: path.join(folder, ".data") };
    server = await startServerProcess(program, data, [], ["start"]);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const get = async (path: string) => {
    const response = await fetch(server.url + path);
    return { status: response.status, text: await response.text() };
  };

  const register = async (username: string) => {
    const account = { username, password: PASSWORD, email: `${username}@example.org` };
    const guest = server.actor({ name: "guest" });
    const { body } = await guest.post("/api/register", account);
    return server.actor({ name: username, apiKey: body.api_key });
  };

  it("needs three libraries, which have files that cannot be bundled", async () => {
    const installed = await readFile(
      path.join(folder, "node_modules/soul-hub-server/package.json"),
      "utf8",
    );
    const { dependencies, version } = JSON.parse(installed);
    expect(Object.keys(dependencies)).toEqual([
      "@electric-sql/pglite",
      "@fontsource/bricolage-grotesque",
      "@resvg/resvg-js",
    ]);
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^\d+\.\d+\.\d+$/);
    expect(JSON.parse((await get("/healthz")).text).version).toBe(version);
  });

  it("serves the page and its files", async () => {
    const { status, text } = await get("/");
    expect([status, text]).toEqual([200, expect.stringContaining("<title>")]);
    const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(assets.length).toBeGreaterThan(2);
    for (const file of assets) expect([file, (await get(`${file}`)).status]).toEqual([file, 200]);
  });

  it("serves the starter souls, their pictures, mini apps and the API reference", async () => {
    const { data } = JSON.parse((await get("/api/souls")).text);
    expect(data.length).toBeGreaterThan(5);
    expect(JSON.parse((await get("/api/apps")).text).count).toBeGreaterThan(5);
    for (const path of [`/previews/soul/${data[0].id}.png`, "/docs/", "/api/openapi.json"]) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
  });

  it("carries a conversation", async () => {
    const { data } = JSON.parse((await get("/api/souls")).text);
    const ada = await register("ada");
    await hub("grant", "ada", "vip", "--days", "1");
    const room = { soul_id: data[0].id, session_token: "harbour" };
    expect((await ada.post("/api/chat", { ...room, content: "What do you see?" })).status).toBe(
      200,
    );
  });

  it("backs up and verifies, in the folder where it was started", async () => {
    await hub("backup", "hub.hub");
    await access(path.join(folder, "hub.hub"));
    expect((await hub("verify", "hub.hub")).stdout).toContain("hub.hub is whole");
  });

  it("keeps compiled code for the next start, and deletes that of another release", async () => {
    const data = path.join(folder, "again");
    const caches = path.join(data, "compile-cache");
    await mkdir(path.join(caches, "v23.0.0-former"), { recursive: true });
    const settings = { DATA_DIR: data, NODE_COMPILE_CACHE: "" };
    await using again = await startServerProcess(program, settings, [], ["start"]);
    expect(await readdir(caches)).toEqual([
      expect.stringMatching(`^${process.version}-[0-9a-f]+$`),
    ]);
    await vi.waitFor(async () => {
      const files = await readdir(caches, { recursive: true });
      expect(files.length).toBeGreaterThan(5);
    });
    expect((await stat(caches)).mode & 0o077).toBe(0);
    expect(await again.stop()).toBe(0);
  });

  it("names itself in its help", async () => {
    const { stdout } = await hub("--help");
    expect(stdout).toContain("Usage: soul-hub-server start\n");
    expect(stdout).toContain("Usage: soul-hub-server [options] [command]");
    expect(stdout).not.toContain("pnpm");
  });

  it("refuses to start with arguments", async () => {
    const refused = expect.objectContaining({ code: 2, stdout: "" });
    await expect(hub("start", "--port", "1")).rejects.toEqual(refused);
  });

  it("names the Node that it needs on an older one, before it loads the server", async () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
    for (const args of [["start"], ["--help"], ["show", "ada"]]) {
      const started = ["--import", `data:text/javascript,${older}`, program, ...args];
      await expect(run(process.execPath, started, { cwd: folder })).rejects.toMatchObject({
        code: 2,
        stdout: "",
        stderr: "soul-hub-server needs Node 24 or later. This is Node 20.20.2.\n",
      });
    }
    // An older Node could not read the other files.
    const dist = path.join(folder, "node_modules/soul-hub-server/dist");
    const main = await readFile(path.join(dist, "main.js"), "utf8");
    const loaded = [...main.matchAll(/^import .*"\.\/(.+)";$/gm)].map(([, name]) => name);
    expect(loaded).toEqual([expect.stringMatching(/^rolldown-runtime/)]);
  });

  it("contains the license texts of the bundled libraries", async () => {
    const dist = path.join(folder, "node_modules/soul-hub-server/dist");
    const files = (await readdir(dist)).filter((name) => name.endsWith(".js"));
    const texts = await Promise.all(files.map((name) => readFile(path.join(dist, name), "utf8")));
    for (const library of ["fastify", "pg", "zod"]) {
      const license = new RegExp(`^${library} [\\d.]+ \\(\\S+\\)\n\n.*(?:License|Copyright)`, "m");
      expect(texts.some((text) => license.test(text))).toBe(true);
    }
  });
});
