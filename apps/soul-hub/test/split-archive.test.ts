import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Actor, type ChatHub, startChatHub } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PART_LIMITS, type Size } from "../src/archive/plan-parts.ts";
import { manifestOf } from "../src/archive/read-archive.ts";
import { splitArchive } from "../src/archive/split-archive.ts";

/** An archive that is larger than a hub takes comes in parts (0055). */
describe("a split archive", () => {
  let from: ChatHub;
  let to: ChatHub;
  let ada: Actor;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    [from, to] = [await startChatHub(), await startChatHub()];
    ada = await from.vip("ada");
    for (const title of ["Keeper", "Orla", "Finn"]) {
      const content = `${title} keeps the light.`;
      const { body } = await ada.post("/api/souls", { title, content });
      await ada.put(`/api/soul/${body.id}`, { content: `${content} Always.` });
      const room = { soul_id: body.id, session_token: title };
      await ada.post("/api/chat", { ...room, content: "Is it dark?" });
    }
    folder = await mkdtemp(path.join(tmpdir(), "soul-hub-split-"));
    file = path.join(folder, "ada.zip");
    const headers = { authorization: `Bearer ${ada.apiKey}` };
    const response = await fetch(`${from.url}/api/export`, { headers });
    await writeFile(file, new Uint8Array(await response.arrayBuffer()));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await from.close();
    await to.close();
  });

  async function partsWithin(limits: Partial<Size>) {
    const manifest = await manifestOf(file);
    if (!manifest) throw new Error("The file is no archive.");
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const part of splitArchive(file, manifest, { ...PART_LIMITS, ...limits })) {
      parts.push(new Uint8Array(await readFile(part.file)));
    }
    return parts;
  }

  const send = async (actor: Actor, part: Uint8Array<ArrayBuffer>) => {
    const type = { "content-type": "application/zip" };
    const { status, body } = await actor.send("POST", "/api/import", part, type);
    expect([status, body.message]).toEqual([200, "The archive is imported."]);
    return body;
  };

  it("is the file itself where it is small enough", async () => {
    expect(await partsWithin({})).toEqual([new Uint8Array(await readFile(file))]);
  });

  it.each([
    [{ souls: 1 }, 3],
    [{ unpacked: 2_000 }, 4],
    [{ lines: 2, souls: 2 }, 4],
  ])("within %j holds everything, once", async (limits, atLeast) => {
    const bea = await to.vip(`bea${atLeast}${Object.keys(limits).length}`);
    const parts = await partsWithin(limits);
    expect(parts.length).toBeGreaterThanOrEqual(atLeast);
    const answers: Awaited<ReturnType<typeof send>>[] = [];
    for (const part of parts) answers.push(await send(bea, part));
    const sum = (name: string) =>
      answers.reduce((total, answer) => total + answer[name].created, 0);
    expect(["souls", "versions", "rooms", "lines"].map(sum)).toEqual([3, 3, 3, 6]);
    const reasons = answers.flatMap(({ skipped }) => skipped);
    expect(reasons.filter(({ path: at }: { path: string }) => at.startsWith("rooms"))).toEqual([]);
    const again = await send(bea, parts.at(-1) as Uint8Array<ArrayBuffer>);
    expect(again.rooms.created + again.souls.created).toBe(0);
  });

  it("leaves no part behind when Ctrl-C ends the process", async () => {
    const temporary = path.join(folder, "temporary");
    await mkdir(temporary);
    const source = path.resolve(import.meta.dirname, "../src/archive");
    const script = `
      const { manifestOf } = await import(${JSON.stringify(`${source}/read-archive.ts`)});
      const { splitArchive } = await import(${JSON.stringify(`${source}/split-archive.ts`)});
      const manifest = await manifestOf(process.argv[1]);
      const limits = { ...${JSON.stringify(PART_LIMITS)}, souls: 1 };
      for await (const part of splitArchive(process.argv[1], manifest, limits)) {
        process.exit(part.file.startsWith(process.env.TMPDIR) ? 130 : 1);
      }`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, file], {
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(await once(child, "exit")).toEqual([130, null]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it("is refused where one soul is larger than a part", async () => {
    await expect(partsWithin({ unpacked: 100 })).rejects.toThrow("too large");
  });
});
