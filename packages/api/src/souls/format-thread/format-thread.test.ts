import type { Worker } from "node:worker_threads";
import { FormatError } from "@soul-hub/soul-formats";
import { expect, it } from "vitest";
import { HubError } from "../../errors.ts";
import { createFormatThreads } from "./format-thread.ts";

const file = Buffer.from("# Orla\n\nBe kind.");
const readWith = async (
  limits: Parameters<typeof createFormatThreads>[0],
  times: number,
  bytes = file,
) => {
  const threads = createFormatThreads(limits);
  const read = () => threads.run("readSoulFile", new Uint8Array(bytes), new Set());
  const ends = await Promise.allSettled(Array.from({ length: times }, read));
  await threads.close();
  return ends.map((end) => (end.status === "fulfilled" ? end.value.fallbackTitle : end.reason));
};

it("a file that takes too long is refused, and the next one gets another thread", async () => {
  const tooLong = new FormatError("", "takes too long to read");
  expect(await readWith({ maxMs: 1 }, 3)).toEqual([tooLong, tooLong, tooLong]);
});

it("a file that takes too much memory is refused", async () => {
  const tooLarge = new FormatError("", "takes too much memory to read");
  const card = `{"spec":"chara_card_v3","data":{"a":[${'{"k":[]},'.repeat(66_000)}1]}}`;
  const ends = await readWith({ maxHeapMb: 12 }, 3, Buffer.from(card));
  expect(ends).toEqual([tooLarge, tooLarge, tooLarge]);
});

it("more files than threads are read one after another; too many are refused", async () => {
  const ends = await readWith({}, 60);
  expect(ends.filter((end) => end === "Orla")).toHaveLength(52);
  expect(ends.filter((end) => end.code === "overloaded")).toHaveLength(8);
});

it("a fault of the program is no fault of the file", async () => {
  const threads = createFormatThreads();
  // @ts-expect-error: no task of this name exists.
  await expect(threads.run("nothing")).rejects.not.toThrow(FormatError);
  const read = await threads.run("readSoulFile", file, new Set());
  expect(read).toMatchObject({ content: file.toString(), nickname: null });
  await threads.close();
});

it("a closed pool refuses the task that runs, those that wait and any other", async () => {
  const threads = createFormatThreads();
  const read = () => threads.run("readSoulFile", new Uint8Array(file), new Set());
  const tasks = Promise.allSettled([read(), read(), read()]);
  await threads.close();
  const ends = [...(await tasks), ...(await Promise.allSettled([read()]))];
  const reason = new HubError("shutting_down");
  expect(ends).toEqual(ends.map(() => ({ status: "rejected", reason })));
});

it("an idle thread that dies gets no further task", async () => {
  let worker: Worker | undefined;
  process.once("worker", (started) => {
    worker = started;
  });
  const threads = createFormatThreads();
  const read = () => threads.run("readSoulFile", new Uint8Array(file), new Set());
  await read();
  await worker?.terminate();
  expect(await read()).toMatchObject({ nickname: null });
  await threads.close();
});
