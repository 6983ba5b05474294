/**
 * A server that the hub is compared with: Fastify with prepared SQL and JSON schemas for input and
 * output.
 */
import Fastify from "fastify";
import { z } from "zod";
import { listOutput, soulOutput } from "./soul-schemas.ts";
import { listSouls, readSoul } from "./soul-sql.ts";

const app = Fastify();

const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { target: "draft-7" });

app.get<{ Params: { id: number } }>("/api/soul/:id", {
  schema: {
    params: { type: "object", properties: { id: { type: "integer", minimum: 1 } } },
    response: { 200: jsonSchema(soulOutput) },
  },
  handler: async (request, reply) =>
    (await readSoul(request.params.id)) ??
    reply.code(404).send({ success: false, error: "soul_not_found" }),
});

app.get<{ Querystring: { limit: number; offset: number } }>("/api/souls", {
  schema: {
    querystring: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        offset: { type: "integer", minimum: 0, maximum: 10_000, default: 0 },
      },
    },
    response: { 200: jsonSchema(listOutput) },
  },
  handler: ({ query }) => listSouls(query.limit, query.offset),
});

await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
