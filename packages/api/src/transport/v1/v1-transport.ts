import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { CallContext, Hub, RequestContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { rateRuleOf } from "../../trpc/call-cost.ts";
import { checkCall, type ProcedureKind } from "../../trpc/check-call.ts";
import { runCall } from "../../trpc/run-call.ts";
import { invalidInput } from "../../trpc/to-hub-error.ts";
import { disconnectSignal } from "../http/disconnect-signal.ts";
import { EventStream } from "../http/event-stream.ts";
import { httpRequestContext } from "../http/request-context.ts";
import { ChatChunks, toChatCompletion } from "./chat-answer.ts";
import { chatBody, readChatCall } from "./chat-request.ts";
import { findModel, toModel } from "./model-names.ts";
import { listModels, modelsQuery } from "./models.ts";
import { newId, ResponseEvents, responseHead, toResponse } from "./responses-answer.ts";
import { readResponsesCall, responsesBody } from "./responses-request.ts";
import { answerCall, type V1Answer, type V1Call } from "./v1-call.ts";
import { midwayError, sendV1Error } from "./v1-errors.ts";

const MB = 1024 * 1024;
/** The largest body: a long conversation with one image. */
const MAX_BODY_BYTES = 20 * MB;
const PING = { comment: "ping", afterMs: 10_000 };
/** Name of the request decorator that holds the {@link RequestContext}. */
const CALL = "v1Call";

const reading: ProcedureKind = { type: "query", meta: { access: "open", need: "chat" } };
const talking: ProcedureKind = {
  type: "mutation",
  meta: { access: "keyHolder", need: "chat", writes: true },
};

/**
 * Souls as models of any client that speaks OpenAI's protocol (0051): models, chat completions and
 * responses. The credential is a key with the scope `chat`; cookies are ignored.
 */
export function v1Transport(app: FastifyInstance, { hub }: { hub: Hub }, done: () => void): void {
  app.decorateRequest(CALL);
  app.setErrorHandler(sendV1Error);
  const check = (kind: ProcedureKind) => async (request: FastifyRequest, reply: FastifyReply) => {
    // Pages of other sites may call this transport, so no cookie may carry a call.
    delete request.raw.headers.cookie;
    reply.header("cache-control", "no-store");
    const ctx = httpRequestContext(hub, "rest", request, reply);
    await checkCall(ctx, kind);
    const points = kind === talking ? pointsOf(request) : 0;
    if (points > 0) await ctx.limit(await ctx.identify(), rateRuleOf(undefined, kind.type), points);
    request.setDecorator<RequestContext>(CALL, ctx);
  };
  const run = <Result>(
    request: FastifyRequest,
    kind: ProcedureKind,
    call: (ctx: CallContext) => Promise<Result>,
  ) => {
    const input = kind === reading ? request.query : request.body;
    return runCall(request.getDecorator<RequestContext>(CALL), kind, input, call);
  };

  app.get("/models", { onRequest: check(reading) }, (request) =>
    run(request, reading, async (ctx) => listModels(ctx, parse(modelsQuery, request.query))),
  );
  app.get<{ Params: { "*": string } }>("/models/*", { onRequest: check(reading) }, (request) =>
    run(request, reading, async (ctx) => {
      const name = request.params["*"];
      const { soul } = await findModel(ctx, name);
      return { ...toModel(soul), ...(name.endsWith(":own") && { id: name }) };
    }),
  );
  const talk = { onRequest: check(talking), bodyLimit: MAX_BODY_BYTES };
  app.post("/chat/completions", talk, (request, reply) =>
    run(request, talking, async (ctx) => {
      const body = parse(chatBody, request.body);
      const call = readChatCall(body, request.headers["x-soul-hub-session"]);
      const created = Math.floor(Date.now() / 1_000);
      const head = { id: newId("chatcmpl"), created, model: body.model };
      const includesUsage = body.stream_options?.include_usage === true;
      return answer(
        ctx,
        { request, reply, call },
        {
          whole: (result) => toChatCompletion(head, result),
          events: (stream) => new ChatChunks(stream, head, includesUsage),
        },
      );
    }),
  );
  app.post("/responses", talk, (request, reply) =>
    run(request, talking, async (ctx) => {
      const body = parse(responsesBody, request.body);
      const { ignored, ...call } = readResponsesCall(body, request.headers["x-soul-hub-session"]);
      if (ignored.length > 0) reply.header("x-soul-hub-ignored", headerText(ignored));
      const head = responseHead(body);
      return answer(
        ctx,
        { request, reply, call },
        {
          whole: (result) => toResponse(head, result),
          events: (stream) => new ResponseEvents(stream, head),
        },
      );
    }),
  );
  respondElsewhere(app);
  done();
}

/**
 * The points that a body costs beyond the one of its call: parsing 20 MiB takes as long as twenty
 * other calls (0009). Without a length it counts as the largest one.
 */
const pointsOf = ({ headers }: FastifyRequest): number =>
  Math.floor(Math.min(MAX_BODY_BYTES, Number(headers["content-length"] ?? MAX_BODY_BYTES)) / MB);

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  call: V1Call;
}

/** How one of the two shapes writes an answer. */
interface Shape {
  whole(answer: V1Answer): object;
  events(stream: EventStream): {
    text(piece: string): void;
    done(answer: V1Answer): void;
    fail(error: { code: string; message: string }): void;
  };
}

/** Answers a call as one JSON object, or as a stream of events. */
async function answer(ctx: CallContext, { request, reply, call }: Exchange, shape: Shape) {
  const disconnected = disconnectSignal(reply);
  if (!call.isStream) return shape.whole(await answerCall(ctx, call, () => {}, disconnected));
  using stream = new EventStream(reply, PING);
  const events = shape.events(stream);
  try {
    events.done(await answerCall(ctx, call, (piece) => events.text(piece), disconnected));
  } catch (error) {
    if (!stream.isOpen) throw error;
    events.fail(midwayError(error, request));
  }
  return reply;
}

function parse<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {});
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

/** Callers choose these words, so a header takes only plain characters of them. */
const headerText = (words: readonly string[]): string =>
  words
    .map((word) => word.replace(/[^\w.-]/g, "").slice(0, 60))
    .join(", ")
    .slice(0, 1_000);

const methodsByUrl = {
  "/models": ["GET", "HEAD"],
  "/models/*": ["GET", "HEAD"],
  "/chat/completions": ["POST"],
  "/responses": ["POST"],
} as const;

/** Responds to preflights, to other methods of known paths, and to unknown paths. */
function respondElsewhere(app: FastifyInstance): void {
  const others = (used: readonly string[]) =>
    app.supportedMethods.filter((method) => !used.includes(method));
  const respond = (
    url: string,
    used: readonly string[],
    code: "method_not_allowed" | "not_found",
  ) =>
    app.route({
      method: others(used),
      url,
      // An onRequest hook responds before the body is read.
      async onRequest(request, reply) {
        if (request.method === "OPTIONS") return preflight(request, reply, used);
        if (code === "method_not_allowed") reply.header("allow", [...used, "OPTIONS"].join(", "));
        throw new HubError(code);
      },
      handler: () => undefined,
    });
  for (const [url, used] of Object.entries(methodsByUrl)) respond(url, used, "method_not_allowed");
  respond("/*", [], "not_found");
}

/** Allows any header: clients in browsers send headers of their own. */
function preflight({ headers }: FastifyRequest, reply: FastifyReply, used: readonly string[]) {
  const asked = headers["access-control-request-headers"];
  return reply
    .header("allow", [...used, "OPTIONS"].join(", "))
    .header("access-control-allow-methods", used.join(", "))
    .header("access-control-allow-headers", asked ?? "*")
    .header("access-control-max-age", "86400")
    .header("vary", "Access-Control-Request-Headers")
    .code(204)
    .send();
}
