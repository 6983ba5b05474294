import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { type Actor, describeChat, PASSWORD, startChatHub } from "@soul-hub/api/testing";
import { streamZip } from "@soul-hub/soul-formats";
import { afterEach, beforeEach, expect, it } from "vitest";
import { certificate, startHttpsServer } from "./https-server.fixture.ts";
import { ENTER, hasTerminals, type Machine, machineOf, modeOf } from "./soul-hub.fixture.ts";

/** Files of other programs, and the archive of an account (0052, 0053). */
describeChat("export and import in the terminal", {}, (hub) => {
  let ada: Actor;
  let machine: Machine;
  let id: number;
  let count = 0;
  beforeEach(async () => {
    ada = await hub.vip(`ada${++count}`);
    machine = await machineOf(hub, ada);
    id = (await ada.post("/api/souls", { title: "Keeper", content: "I keep." })).body.id;
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const run = (...args: string[]) => machine.run(args);
  const inFolder = (name: string) => path.join(machine.folder, name);
  const isThere = (name: string) =>
    stat(inFolder(name)).then(
      () => true,
      () => false,
    );
  const soul = async (soulId: number) => (await ada.get(`/api/soul/${soulId}`)).body.data;

  it("saves a soul in each format, and replaces no file", async () => {
    const saved = await run("export", String(id));
    expect([saved.code, saved.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Wrote keeper-${id}\\.zip \\(\\d+ bytes\\)\\.\n$`)),
    ]);
    expect((await run("export", String(id))).code).toBe(1);
    const card = await run("export", String(id), "--format", "card-png", "--out", "card.png");
    expect(card.code).toBe(0);
    expect((await readFile(inFolder("card.png"))).subarray(1, 4).toString()).toBe("PNG");
    expect((await run("export", String(id), "--format", "docx")).code).toBe(2);
    expect((await run("export")).code).toBe(2);
    expect((await run("export", "99999", "--out", "none.zip")).code).toBe(1);
    expect(await isThere("none.zip")).toBe(false);
    expect((await readdir(machine.folder)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("imports a card as a private soul, after a dry run", async () => {
    await run("export", String(id), "--format", "card-png", "--out", "card.png");
    const dry = JSON.parse((await run("import", "card.png", "--dry-run", "--json")).stdout);
    expect(dry).toMatchObject({ id: null, format: "card-png" });
    const made = JSON.parse((await run("import", "card.png", "--json")).stdout);
    expect(await soul(made.id)).toMatchObject({
      title: "Keeper",
      content: "I keep.",
      is_public: 0,
    });
    const shown = JSON.parse((await run("import", "card.png", "--public", "--json")).stdout);
    expect(await soul(shown.id)).toMatchObject({ is_public: 1 });
    await writeFile(inFolder("broken.zip"), "PK\u0003\u0004");
    expect((await run("import", "broken.zip")).code).toBe(1);
    expect((await run("import", "missing.zip")).code).toBe(2);
  });

  it("takes no options that have no effect", async () => {
    expect((await run("export", "--all", "--format", "md")).code).toBe(2);
    expect((await run("export", String(id), "--include", "souls")).code).toBe(2);
  });

  it("reads no file that is too large", async () => {
    await writeFile(inFolder("huge.png"), "");
    await truncate(inFolder("huge.png"), 3 * 2 ** 30);
    for (const command of ["import", "publish"]) {
      const { code, stderr } = await run(command, "huge.png");
      expect([code, stderr]).toEqual([1, "huge.png has more than 16 MiB.\n"]);
    }
  });

  it("tells that an archive is damaged before it asks for a password", async () => {
    const manifest = Buffer.from('{"format":"soul-hub-archive"}');
    const contents = async function* () {
      yield { path: "manifest.json", pieces: [manifest] };
    };
    await writeFile(inFolder("archive.zip"), streamZip(contents()));
    const { code, stderr } = await run("import", "archive.zip");
    expect([code, stderr]).toEqual([1, "The archive's manifest.json is damaged.\n"]);
  });

  it("imports a file of the web over https alone, and sends no key there", async () => {
    await using server = await startHttpsServer(serve);
    const seen: IncomingMessage[] = [];
    function serve(request: IncomingMessage, response: ServerResponse) {
      seen.push(request);
      const [status, location] =
        request.url === "/moved"
          ? [302, "/soul.md"]
          : [302, request.url === "/lost" ? "https://[" : "http://127.0.0.1:1/soul.md"];
      if (request.url === "/soul.md") return void response.end("# Orla\n\nYou sail.\n");
      if (request.url === "/cut") {
        response.writeHead(200, { "content-length": 1_000 });
        return void response.write("#", () => response.destroy());
      }
      if (request.url === "/large") return void response.end(Buffer.alloc(17 * 1024 * 1024));
      response.writeHead(request.url === "/none" ? 404 : status, { location }).end();
    }
    await writeFile(inFolder("certificate.pem"), certificate);
    const env = { NODE_EXTRA_CA_CERTS: inFolder("certificate.pem") };
    const fetched = await machine.run(["import", `${server.url}/moved`, "--json"], { env });
    expect(await soul(JSON.parse(fetched.stdout).id)).toMatchObject({ title: "Orla" });
    for (const address of ["/insecure", "/large", "/none", "/lost", "/cut"]) {
      const { code, stderr } = await machine.run(["import", server.url + address], { env });
      expect([code, stderr]).toEqual([1, expect.stringContaining("could not be fetched")]);
    }
    expect((await run("import", `${hub.url}/llms.txt`)).code).toBe(1);
    expect((await run("import", "https://")).code).toBe(2);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(seen.map(() => undefined));
  });

  it.runIf(hasTerminals)("moves an account to another hub, once", async () => {
    const room = { soul_id: id, session_token: "harbour" };
    await ada.post("/api/chat", { ...room, content: "Is it dark?" });
    expect((await run("export", "--all", "--out", "ada.zip")).code).toBe(0);
    expect(await modeOf(inFolder("ada.zip"))).toBe(0o600);

    await using other = await startChatHub();
    const bea = await other.vip("bea");
    const importAll = async (...more: string[]) => {
      const terminal = await machine.open(["import", "ada.zip", ...more], {
        SOUL_HUB_URL: other.url,
      });
      await terminal.sees(/Username at \S+: /);
      terminal.type(`bea${ENTER}`);
      await terminal.sees("Password: ");
      terminal.type(`${PASSWORD}${ENTER}`);
      expect(await terminal.exited).toBe(0);
      return terminal.text();
    };
    expect(await importAll("--dry-run")).toContain("souls: 1 new, 0 there already");
    expect((await bea.get("/api/my-souls")).body.total).toBe(0);
    expect(await importAll()).toContain("lines: 2 new, 0 there already");
    expect(await importAll()).toContain("souls: 0 new, 1 there already");
    const { data } = (await bea.get("/api/my-souls")).body;
    expect(data).toMatchObject([{ title: "Keeper", is_public: 0 }]);
  });

  it("names the scope that a key lacks for a part of an archive, and writes no file", async () => {
    const wanted = { name: "backup", scopes: ["account:read", "social"], password: PASSWORD };
    const { body } = await ada.post("/api/keys", wanted);
    const exportAll = (...more: string[]) =>
      machine.run(["export", "--all", "--out", "ada.zip", ...more], {
        env: { SOUL_HUB_KEY: body.api_key },
      });
    const { code, stderr } = await exportAll("--include", "social,chats");
    expect([code, await isThere("ada.zip")]).toEqual([4, false]);
    expect(stderr).toContain("This API key lacks the scope chat.");
    expect((await exportAll()).stderr).toContain("lacks the scope souls:read.");
    expect((await exportAll("--include", "social")).code).toBe(0);
  });

  it("keeps no archive that was cut off", async () => {
    const { code } = await run("export", "--all", "--include", "nothing", "--out", "ada.zip");
    expect([code, await isThere("ada.zip")]).toEqual([1, false]);
  });
});
