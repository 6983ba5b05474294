import { expect } from "vitest";
import type { Answer } from "../../testing/actor.ts";
import type { TestHub } from "../../testing/test-hub.ts";

/** Reads that every caller without a credential shares, in a hub with soul 1 of ada. */
export const sharedReads = [
  "/api/categories",
  "/api/souls",
  "/api/souls?q=one",
  "/api/soul/1",
  "/api/versions?soul_id=1",
  "/api/version?soul_id=1",
  "/api/version-diff?soul_id=1&from=1&to=1",
  "/api/profile?username=ada",
  "/api/apps",
  "/api/apps?slug=chess-lesson",
  "/api/openapi.json",
];

/** Reads a path without a credential, and reads it again with the ETag of the first response. */
export async function readTwice(
  hub: TestHub,
  path: string,
): Promise<{ whole: Answer; unchanged: Answer; held: { "if-none-match": string } }> {
  const whole = await hub.guest().get(path);
  const held = { "if-none-match": whole.headers.get("etag") ?? "" };
  expect([whole.status, held["if-none-match"]]).toEqual([200, expect.stringMatching(/^"/)]);
  const unchanged = await hub.guest().get(path, held);
  expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
  return { whole, unchanged, held };
}
