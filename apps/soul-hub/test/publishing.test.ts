import { hash } from "node:crypto";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Actor, describeChat } from "@soul-hub/api/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Machine, machineOf, startMachine } from "./soul-hub.fixture.ts";

/** A soul leaves the hub as files and returns as its next version (0055). */
describeChat("files and a hub", {}, (hub) => {
  let ada: Actor;
  let machine: Machine;
  let id: number;
  let folder: string;
  let count = 0;
  beforeEach(async () => {
    ada = await hub.member(`ada${++count}`);
    machine = await machineOf(hub, ada);
    const content = JSON.stringify({ "SOUL.md": "You keep the light.\n", "STYLE.md": "Short.\n" });
    id = (await ada.post("/api/souls", { title: "Keeper", content, domain: "sea" })).body.id;
    folder = path.join(machine.folder, "keeper");
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const soul = async () => (await ada.get(`/api/soul/${id}`)).body.data;
  const run = (...args: string[]) => machine.run(args);
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
  const edit = (text: string, file = "SOUL.md") => writeFile(path.join(folder, file), text);
  const link = async () => JSON.parse(await readFile(path.join(folder, ".soul-hub.json"), "utf8"));
  const pull = () => run("pull", String(id), folder);

  it("pulls, shows the difference, publishes it once, and sends nothing again", async () => {
    expect((await pull()).code).toBe(0);
    expect((await readdir(folder)).sort()).toEqual([
      ".soul-hub.json",
      "SOUL.md",
      "STYLE.md",
      "soul.json",
    ]);
    const { content, content_sha256 } = await soul();
    expect(content_sha256).toBe(hash("sha256", content));
    expect(await link()).toEqual({ hub: hub.url, soul_id: id, base_sha256: content_sha256 });
    expect((await run("status", folder)).stdout).toContain("Nothing differs.");
    expect((await run("diff", folder, "--exit-code")).code).toBe(0);

    await edit("You keep the light.\nAlways.\n");
    expect(await json("status", folder)).toMatchObject({
      changed_here: true,
      changed_there: false,
      files: [{ name: "SOUL.md", state: "changed" }],
    });
    const diff = await run("diff", folder, "--exit-code");
    expect([diff.code, diff.stdout]).toEqual([1, expect.stringContaining("\n+Always.\n")]);
    expect((await run("diff", folder)).code).toBe(0);

    const dry = await run("publish", folder, "--dry-run");
    expect(dry.stdout).toBe(`Soul ${id} would change:\n  changed  SOUL.md\n`);
    expect(await soul()).toMatchObject({ version: 1, content });

    expect((await run("publish", folder)).code).toBe(0);
    const published = await soul();
    expect(published).toMatchObject({ version: 2, title: "Keeper", domain: "sea", is_public: 1 });
    expect(JSON.parse(published.content)["SOUL.md"]).toBe("You keep the light.\nAlways.\n");
    expect((await link()).base_sha256).toBe(published.content_sha256);

    expect(await json("publish", folder)).toMatchObject({ changed: false, sent: false });
    expect((await soul()).version).toBe(2);
  });

  it("says what a file leaves out, also where nothing is sent", async () => {
    const file = path.join(machine.folder, "lamp.md");
    await writeFile(file, "---\ndescription: Use this: now\n---\n<!doctype html>\nBe bright.\n");
    const note = "The file has front matter that is not quite YAML; its lines are read as texts.\n";
    for (const command of [["import"], ["publish"], ["publish"], ["status"]]) {
      expect((await run(...command, file)).stderr).toBe(note);
    }
    expect(await json("publish", file)).toMatchObject({ sent: false, warnings: [{ path: "" }] });
  });

  it("sends a Markdown that begins like a web page as Markdown", async () => {
    const page = "<!doctype html>\nBe bright.\n";
    for (const [name, code] of [
      ["page.html", 1],
      ["page.md", 0],
    ] as const) {
      await writeFile(path.join(machine.folder, name), page);
      expect((await run("import", path.join(machine.folder, name))).code).toBe(code);
      expect((await run("publish", path.join(machine.folder, name))).code).toBe(code);
    }
  });

  it("publishes into the current folder, and the other way round", async () => {
    await pull();
    await edit("You keep the lamp.\n");
    const { code } = await machine.run(["publish"], { cwd: folder });
    expect([code, (await soul()).version]).toEqual([0, 2]);
  });

  it("does not overwrite what the hub got meanwhile, unless it is forced to", async () => {
    await pull();
    await edit("Mine.\n");
    await ada.put(`/api/soul/${id}`, { content: "Theirs." });
    const refused = await run("publish", folder);
    expect([refused.code, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toContain(`soul-hub diff ${folder}`);
    expect((await run("publish", folder, "--dry-run")).code).toBe(5);
    expect((await soul()).content).toBe("Theirs.");
    expect(await json("status", folder)).toMatchObject({ changed_here: true, changed_there: true });
    const failed = await run("publish", folder, "--json");
    expect(JSON.parse(failed.stderr)).toMatchObject({ success: false, error: "soul_changed" });

    expect((await run("publish", folder, "--force")).code).toBe(0);
    expect(JSON.parse((await soul()).content)["SOUL.md"]).toBe("Mine.\n");
    expect((await run("publish", folder)).code).toBe(0);
  });

  it("brings a folder up to date, but never over changes", async () => {
    await pull();
    const theirs = JSON.stringify({ "SOUL.md": "Theirs.\n", "RULES.md": "None.\n" });
    await ada.put(`/api/soul/${id}`, { content: theirs });
    expect((await pull()).code).toBe(0);
    expect((await readdir(folder)).sort()).toEqual([
      ".soul-hub.json",
      "RULES.md",
      "SOUL.md",
      "soul.json",
    ]);
    expect((await run("publish", folder)).stdout).toBe("Nothing differs.\n");

    await edit("Mine.\n");
    await ada.put(`/api/soul/${id}`, { content: "Newer." });
    const refused = await pull();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("its content")]);
    expect((await run("pull", String(id), folder, "--force")).code).toBe(0);
    expect(await readFile(path.join(folder, "SOUL.md"), "utf8")).toBe("Newer.");
  });

  it("does not write into a folder of other files", async () => {
    await mkdir(folder);
    await edit("A diary.");
    expect((await pull()).code).toBe(1);
    expect(await readFile(path.join(folder, "SOUL.md"), "utf8")).toBe("A diary.");
  });

  it("publishes a folder as a new soul, which is private unless asked for", async () => {
    await mkdir(folder);
    await edit("# Orla\n\nYou sail.\n");
    const dry = await json("publish", folder, "--dry-run");
    expect(dry).toMatchObject({ id: null, sent: false });
    const made = await json("publish", folder);
    const read = async () => (await ada.get(`/api/soul/${made.id}`)).body.data;
    expect(await read()).toMatchObject({ title: "Orla", is_public: 0, version: 1 });
    expect(await link()).toMatchObject({ soul_id: made.id });
    expect((await run("publish", folder, "--public")).stdout).toContain("It is public now.");
    expect(await read()).toMatchObject({ is_public: 1 });
  });

  it("publishes a file, and later its changes", async () => {
    const file = path.join(machine.folder, "orla.md");
    await writeFile(file, "# Orla\n\nYou sail.\n");
    const made = await json("publish", file, "--public");
    await writeFile(file, "# Orla\n\nYou swim.\n");
    expect((await run("publish", file)).code).toBe(0);
    const { data } = (await ada.get(`/api/soul/${made.id}`)).body;
    expect(data).toMatchObject({ content: "# Orla\n\nYou swim.\n", version: 2, is_public: 1 });
    await pull();
    expect((await run("publish", path.join(folder, "SOUL.md"))).code).toBe(2);
  });

  it("sends what lies beside the content, but no dot file and no link, and says so", async () => {
    await pull();
    await mkdir(path.join(folder, "docs"));
    await edit("Read me.", "docs/README.md");
    await edit("SECRET=1", ".env");
    await writeFile(path.join(machine.folder, "secret"), "secret");
    await symlink(path.join(machine.folder, "secret"), path.join(folder, "LINK.md"));
    const { stdout, stderr } = await run("publish", folder);
    expect(stdout).toContain("  added    docs/README.md (beside the content)");
    expect(stderr).toBe("Left out: .env (a dot file), LINK.md (a symbolic link).\n");
    const copy = path.join(machine.folder, "copy");
    await run("pull", String(id), copy);
    expect((await readdir(copy)).sort()).toEqual([
      ".soul-hub.json",
      "SOUL.md",
      "STYLE.md",
      "docs",
      "soul.json",
    ]);
    await rm(path.join(folder, "docs"), { recursive: true });
    expect(await json("status", folder)).toMatchObject({
      package: [{ path: "docs/README.md", state: "removed" }],
    });
  });

  it("writes its link through no symbolic link", async () => {
    await mkdir(folder);
    await edit("# Orla\n");
    const elsewhere = path.join(machine.folder, "elsewhere");
    await symlink(elsewhere, path.join(folder, ".soul-hub.json"));
    const refused = await run("publish", folder);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("symbolic link")]);
    expect(await readdir(machine.folder)).not.toContain("elsewhere");
    expect((await ada.get("/api/my-souls")).body.data).toHaveLength(1);
  });

  it("takes the link of a file that was published alone for no part of a folder", async () => {
    await mkdir(folder);
    await edit("# Orla\n", "orla.md");
    await run("publish", path.join(folder, "orla.md"));
    const { files } = await json("publish", folder, "--dry-run");
    expect(files.map((file: { path: string }) => file.path)).toEqual(["orla.md"]);
  });

  it("finds one's own souls by words and order, private ones too", async () => {
    const given = { title: "Orla", content: "You sail.", role: "assistant", is_public: 0 };
    const { body } = await ada.post("/api/souls", given);
    const found = async (...args: string[]) =>
      (await json("search", "--mine", ...args)).data.map((each: { id: number }) => each.id);
    expect(await found()).toEqual([body.id, id]);
    expect(await found("keeper")).toEqual([id]);
    expect(await found("--sort", "updated", "--limit", "1")).toEqual([body.id]);
    expect(await found("--role", "nothing")).toEqual([]);
  });

  it("compares and restores versions", async () => {
    await ada.put(`/api/soul/${id}`, { content: "Second.", note: "a start" });
    const { stdout } = await run("versions", String(id));
    expect(stdout.split("\n")[1]).toMatch(/^ +2 {2}present +Keeper +a start$/);
    const diff = await run("diff", String(id), "--from", "1", "--to", "2", "--exit-code");
    expect([diff.code, diff.stdout]).toEqual([1, expect.stringContaining("+Second.")]);
    expect((await run("restore", String(id), "1")).stdout).toContain("It is version 3 now.");
    expect(JSON.parse((await soul()).content)["STYLE.md"]).toBe("Short.\n");
    expect((await run("restore", String(id), "9")).code).toBe(1);
  });

  it("keeps a folder of another hub, and somebody else's soul", async () => {
    await pull();
    const ben = await machineOf(hub, await hub.member(`ben${count}`));
    await edit("Stolen.\n");
    expect((await ben.run(["publish", folder])).code).toBe(1);
    await ben[Symbol.asyncDispose]();
    await writeFile(
      path.join(folder, ".soul-hub.json"),
      JSON.stringify({ ...(await link()), hub: "https://elsewhere.example" }),
    );
    const refused = await run("publish", folder);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("elsewhere")]);
  });

  it("asks for a credential with exit code 4", async () => {
    await using guest = await startMachine(hub);
    expect((await guest.run(["pull", String(id), folder])).code).toBe(0);
    await edit("Mine.\n");
    const { code, stderr } = await guest.run(["publish", folder]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("soul-hub login")]);
  });
});
