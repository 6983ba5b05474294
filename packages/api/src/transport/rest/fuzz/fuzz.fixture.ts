import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseKind } from "../../../testing/test-database.ts";
import { documentedOperations } from "./documented.fixture.ts";
import { hostileRequest } from "./hostile.fixture.ts";
import { brokenPromises } from "./promises.fixture.ts";
import { type FuzzRequest, nearlyValidRequest, validRequest } from "./requests.fixture.ts";
import { curlLine, send, toWire } from "./wire.fixture.ts";
import { createWorld, type World } from "./world.fixture.ts";

const SEED = Number(process.env.FUZZ_SEED ?? Math.trunc(Math.random() * 2 ** 31));

const operations = documentedOperations();

/**
 * Reports operations that hash a password, or end a session so that the actor logs in again. The
 * fuzzer sends these less often.
 */
const isExpensive = (path: string) => /register|login|change-password|logout/.test(path);

const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...operations.map((operation) => ({
    weight: isExpensive(operation.path) ? 1 : 3,
    arbitrary: fc.oneof(
      validRequest(operation),
      nearlyValidRequest(operation),
      hostileRequest(operation),
    ),
  })),
);

/** Sends one request and checks every promise of the API about its response. */
async function attempt(request: FuzzRequest, world: World, tally: Map<string, number>) {
  const wire = toWire(request, world);
  if (world.wouldSpoil(request, wire.input)) return;
  const answer = await send(wire, world);
  // A log line that is written after the answer is checked together with the next request.
  const logged = world.hub.log.splice(0);
  const broken = brokenPromises({ request, wire, answer, world, logged });
  for (const key of [request.kind, `status ${answer.status}`]) {
    tally.set(key, (tally.get(key) ?? 0) + 1);
  }
  if (broken.length > 0) {
    const { kind, twist, actor } = request;
    throw new Error(
      `${kind} (${twist}), by ${actor}:\n${curlLine(wire, world)}\n- ${broken.join("\n- ")}\nAgain: FUZZ_SEED=${SEED} pnpm fuzz`,
    );
  }
  if (answer.status === 200 && request.method === request.operation.method) {
    await world.settle(request.actor, request.operation.id, JSON.parse(toJson(answer.text)));
  }
}

const toJson = (text: string) => (text.startsWith("{") ? text : "null");

/**
 * Tests that the OpenAPI document declares every answer, and that no answer reveals a secret.
 * @param count the number of requests to each hub
 */
export function describeFuzzedRequests(databases: DatabaseKind[], count: number): void {
  describe.each(databases)("fuzzed requests (%s)", (database) => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(database);
    });
    afterAll(() => world.close());

    it("get answers that the OpenAPI document declares", {
      timeout: 30_000 + count * 50,
    }, async () => {
      const tally = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(anyRequest, (request) => attempt(request, world, tally)),
        // Each request changes the hub, so a shrunk request would not reproduce the failure. The run
        // therefore ends at the first failure.
        { seed: SEED, numRuns: count, endOnFailure: true },
      );
      if (process.env.FUZZ_REQUESTS) console.log(database, SEED, Object.fromEntries(tally));
      for (const kind of ["valid", "nearly valid", "hostile"]) {
        expect(tally.get(kind)).toBeGreaterThan(count / 5);
      }
    });
  });
}
