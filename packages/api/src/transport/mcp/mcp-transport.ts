import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Hub } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { authorize } from "../../trpc/authorize.ts";
import { rateRuleOf } from "../../trpc/call-cost.ts";
import { checkCall, type ProcedureKind } from "../../trpc/check-call.ts";
import { disconnectSignal } from "../http/disconnect-signal.ts";
import { sendErrorResponse } from "../http/error-responses.ts";
import { httpRequestContext } from "../http/request-context.ts";
import { answerForm, inForm, notAcceptable } from "./mcp-answer.ts";
import type { McpCall } from "./mcp-call.ts";
import { sendMcpError } from "./mcp-errors.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** How often an open stream says that it is alive, in milliseconds. */
const PING_MS = 10_000;
/** Name of the request decorator that holds the {@link McpCall}. */
const CALL = "mcpCall";
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** The package of the protocol serves only clients that name both forms, in lower case. */
const BOTH_FORMS = "application/json, text/event-stream";
/** The request as such. Each tool checks its own access. */
const asking: ProcedureKind = { type: "query", meta: { access: "open", need: "public" } };

/**
 * The Model Context Protocol over Streamable HTTP, without sessions: POST /mcp (decisions §7, MCP).
 * The credential is a key or none; cookies are ignored.
 */
export function mcpTransport(app: FastifyInstance, { hub }: { hub: Hub }, done: () => void): void {
  app.decorateRequest(CALL);
  app.setErrorHandler(sendMcpError);
  // The package of the protocol is loaded with the first request (0081).
  const createHandler = async () => {
    const { createMcpHandler } = await import("@modelcontextprotocol/server");
    const { createMcpServer } = await import("./mcp-server.ts");
    return createMcpHandler(({ authInfo }) => createMcpServer(authInfo?.extra?.[CALL] as McpCall), {
      keepAliveMs: PING_MS,
      onerror: (error) => hub.log.debug({ err: error }, "mcp"),
    });
  };
  let handler: ReturnType<typeof createHandler> | undefined;
  app.addHook("onClose", async () => (await handler?.catch(() => undefined))?.close());

  const identify = async (request: FastifyRequest, reply: FastifyReply) => {
    assertOrigin(hub, request.headers.origin);
    // Pages of other sites may call this transport, so no cookie may carry a call.
    delete request.raw.headers.cookie;
    reply.header("cache-control", "no-store");
    allowOrigin(request, reply);
    const ctx = httpRequestContext(hub, "rest", request, reply);
    await checkCall(ctx, asking);
    const disconnected = disconnectSignal(reply);
    request.setDecorator<Omit<McpCall, "caller">>(CALL, { ctx, disconnected });
  };
  app.post("/mcp", { onRequest: identify, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const known = request.getDecorator<Omit<McpCall, "caller">>(CALL);
    // The key may have been revoked before the body arrived.
    const caller = await known.ctx.identify();
    authorize(caller, asking.meta ?? {}, known.ctx);
    const call: McpCall = { ...known, caller };
    // The revision 2025-03-26 has batches. The first message of one is counted already.
    const further = Array.isArray(request.body) ? request.body.length - 1 : 0;
    if (further > 0) await call.ctx.limit(call.caller, rateRuleOf(undefined, "query"), further);
    const form = answerForm(request.headers.accept, request.body);
    if (form === null) return reply.code(406).send(notAcceptable);
    const extra = { [CALL]: call };
    handler ??= createHandler();
    // After a failed import the next request tries again.
    const { fetch } = await handler.catch((error: unknown) => {
      handler = undefined;
      throw error;
    });
    const answered = await fetch(asWebRequest(request, call), {
      parsedBody: request.body,
      // The hub has checked the credential, and the protocol's own part never sees it.
      authInfo: { token: "", clientId: "", scopes: [], extra },
    });
    const response = await inForm(answered, form, Array.isArray(request.body));
    response.headers.set("cache-control", "no-store, no-transform");
    return reply.send(response);
  });
  app.route({
    method: app.supportedMethods.filter((method) => method !== "POST"),
    url: "/mcp",
    async onRequest(request, reply) {
      assertOrigin(hub, request.headers.origin);
      reply.header("allow", "POST, OPTIONS");
      allowOrigin(request, reply);
      if (request.method !== "OPTIONS") throw new HubError("method_not_allowed");
      return reply
        .header("access-control-allow-methods", "POST")
        .header("access-control-allow-headers", request.headers["access-control-request-headers"])
        .code(204)
        .send();
    },
    handler: () => undefined,
  });
  // Clients look here for an OAuth server. The page must not answer them.
  app.get("/.well-known/*", { errorHandler: sendErrorResponse }, () => {
    throw new HubError("not_found");
  });
  done();
}

/** Lets a page read the response, whose origin was checked. */
function allowOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  if (origin !== undefined) {
    reply.header("access-control-allow-origin", origin).header("vary", "Origin");
  }
}

/** The request without its body, which the hub has parsed, and without its credential. */
function asWebRequest({ headers, url }: FastifyRequest, { ctx, disconnected }: McpCall): Request {
  const kept = { ...headers, authorization: undefined, accept: BOTH_FORMS };
  return new Request(new URL(url, ctx.hub.config.baseUrl), {
    method: "POST",
    headers: Object.entries(kept).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    signal: disconnected,
  });
}

/** @throws HubError `csrf_rejected` for a page of a site that may not call the hub */
function assertOrigin({ config }: Hub, origin: string | undefined): void {
  if (origin === undefined || !URL.canParse(origin)) {
    if (origin !== undefined) throw new HubError("csrf_rejected");
    return;
  }
  const own = new URL(config.baseUrl);
  const isLoopback = LOOPBACK.test(own.hostname) && LOOPBACK.test(new URL(origin).hostname);
  if (origin === own.origin || isLoopback || config.mcpAllowedOrigins.includes(origin)) return;
  throw new HubError("csrf_rejected");
}
