import { countPageRead } from "@soul-hub/api";
import { startTestHub, type TestHub } from "@soul-hub/api/testing";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servePreviews } from "./serve-previews.ts";

const READ_POINTS = 1_200;
/** The address of requests through `inject`. */
const ip = "127.0.0.1";

describe("pictures of link previews", () => {
  const app = Fastify();
  let hub: TestHub;
  const ids: number[] = [];
  const ask = async (id: number) => {
    const { statusCode, body, rawPayload } = await app.inject(`/previews/soul/${id}.png`);
    return { status: statusCode, body, bytes: rawPayload };
  };

  beforeAll(async () => {
    hub = await startTestHub({ config: { rateLimits: true } });
    app.setErrorHandler((error: { code?: string }, _, reply) =>
      reply.status(500).send(error.code ?? "unknown"),
    );
    servePreviews(app, hub.hub);
    const ada = await hub.member("ada");
    for (const title of ["One", "Two"]) {
      ids.push((await ada.post("/api/souls", { title, content: "Text." })).body.id);
    }
  });
  afterAll(async () => {
    await app.close();
    await hub.close();
  });

  it("cost points of the read limit when drawn, and one point when cached", async () => {
    const [first = 0, second = 0] = ids;
    const [drawn, shared] = await Promise.all([ask(first), ask(first)]);
    expect([drawn.status, shared.bytes.equals(drawn.bytes)]).toEqual([200, true]);
    // Both requests have paid for a drawing, 42 points. 18 are left.
    await countPageRead(hub.hub, ip, READ_POINTS - 60);
    expect((await ask(first)).bytes.equals(drawn.bytes)).toBe(true);
    expect(await ask(second)).toMatchObject({ status: 500, body: "rate_limited" });
  });
});
