import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabases } from "../../testing/test-database.ts";
import { documentedOperations } from "./documented.fixture.ts";
import { hostileRequest } from "./hostile.fixture.ts";
import { brokenPromises } from "./promises.fixture.ts";
import { type FuzzRequest, nearlyValidRequest, validRequest } from "./requests.fixture.ts";
import { curlLine, send, toWire } from "./wire.fixture.ts";
import { createWorld, type World } from "./world.fixture.ts";

/** `pnpm fuzz` sends 20,000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 600);
const SEED = Number(process.env.FUZZ_SEED ?? Math.trunc(Math.random() * 2 ** 31));

const operations = documentedOperations();

/** Cost a password hash each: rarer, so that the others are not starved. */
const isDear = (path: string) => /register|login|change-password|logout/.test(path);

const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...operations.map((operation) => ({
    weight: isDear(operation.path) ? 1 : 3,
    arbitrary: fc.oneof(
      validRequest(operation),
      nearlyValidRequest(operation),
      hostileRequest(operation),
    ),
  })),
);

/** Sends one request and holds the answer against every promise. */
async function attempt(request: FuzzRequest, world: World, tally: Map<string, number>) {
  const wire = toWire(request, world);
  if (world.wouldSpoil(request, wire.input)) return;
  const answer = await send(wire, world);
  // A request's last line may come after its answer: it is then read with the next one's.
  const logged = world.hub.log.splice(0);
  const broken = brokenPromises({ request, wire, answer, world, logged });
  for (const key of [request.kind, `status ${answer.status}`]) {
    tally.set(key, (tally.get(key) ?? 0) + 1);
  }
  if (broken.length > 0) {
    const { kind, twist, actor } = request;
    throw new Error(
      `${kind} (${twist}), by ${actor}:\n${curlLine(wire, world)}\n- ${broken.join("\n- ")}\nAgain: FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}`,
    );
  }
  if (answer.status === 200 && request.method === request.operation.method) {
    await world.settle(request.actor, request.operation.id, JSON.parse(toJson(answer.text)));
  }
}

const toJson = (text: string) => (text.startsWith("{") ? text : "null");

/** Every answer to any request is one that the document declares, and gives nothing away. */
describe.each(testDatabases())("any request to the hub on %s", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(database);
  });
  afterAll(() => world.close());

  it("is answered as the OpenAPI document says", { timeout: 30_000 + REQUESTS * 50 }, async () => {
    const tally = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(anyRequest, (request) => attempt(request, world, tally)),
      // The hub has changed with every request, so that a smaller failing one says little.
      { seed: SEED, numRuns: REQUESTS, endOnFailure: true },
    );
    if (process.env.FUZZ_REQUESTS) console.log(database, SEED, Object.fromEntries(tally));
    for (const kind of ["valid", "nearly valid", "hostile"]) {
      expect(tally.get(kind)).toBeGreaterThan(REQUESTS / 5);
    }
  });
});
