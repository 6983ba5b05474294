import { compile } from "@fastify/proxy-addr";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Hub } from "../../context.ts";
import { type Call, runInCall } from "../../tracing/call-scope.ts";
import type { Span } from "../../tracing/tracer.ts";

/** The routes whose calls are traced: those that may call a model (0070). */
const TRACED = new Set([
  "/api/chat",
  "/api/self-chat",
  "/api/try",
  "/v1/chat/completions",
  "/v1/responses",
  "/mcp",
]);
/** The tRPC procedure of POST /api/chat. */
const TRPC_CHAT = "chat.send";
/** Name of the request decorator that holds the {@link Call}. */
const CALL = "hubObservedCall";

/**
 * Runs every request as a {@link Call}, traces those that may call a model, and measures and logs
 * each response. Registered before all other hooks, which then belong to the call.
 * @param trustProxy CIDRs of the proxies whose `traceparent` is believed
 */
export function observeCalls(app: FastifyInstance, hub: Hub, trustProxy: string[]): void {
  const isTrusted = compile(trustProxy);
  app.decorateRequest(CALL);

  app.addHook("onRequest", (request, reply, done) => {
    const route = hub.tracer ? tracedRoute(request) : undefined;
    const root = route === undefined ? undefined : startTrace(route, request);
    const call: Call = { requestId: request.id, root, isOver: false };
    request.setDecorator<Call>(CALL, call);
    if (root) reply.raw.once("close", () => endTrace(root, reply));
    runInCall(call, done);
  });

  function startTrace(route: string, { headers, raw }: FastifyRequest): Span | undefined {
    const { traceparent } = headers;
    const isBelieved =
      typeof traceparent === "string" && isTrusted(raw.socket.remoteAddress ?? "", 0);
    return hub.tracer?.start(`POST ${route}`, {
      kind: "server",
      attributes: { "http.request.method": "POST", "http.route": route },
      ...(isBelieved && { traceparent }),
    });
  }

  app.addHook("onResponse", async (request, reply) => {
    // The log names the route pattern instead of the URL, whose query may hold a session_token.
    const answered = {
      method: request.method,
      route: request.routeOptions.url ?? "none",
      status: reply.statusCode,
    };
    hub.metrics.requests.note(answered, reply.elapsedTime / 1_000);
    const call = request.getDecorator<Call | null>(CALL);
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const log = () => request.log.info({ ...answered, ms }, "answered");
    if (!call) return log();
    call.isOver = true;
    // Node emits the end of a response outside of the call.
    if (call.root) runInCall(call, log);
    else log();
  });
}

function tracedRoute({ method, routeOptions, params }: FastifyRequest): string | undefined {
  const { url } = routeOptions;
  if (method !== "POST" || url === undefined) return undefined;
  if (TRACED.has(url)) return url;
  const { path } = params as { path?: string };
  const isChat = url === "/trpc/:path" && path?.split(",").includes(TRPC_CHAT);
  return isChat ? `/trpc/${TRPC_CHAT}` : undefined;
}

function endTrace(root: Span, { raw, statusCode }: FastifyReply): void {
  root.set({ "http.response.status_code": statusCode });
  if (!raw.writableFinished) root.end({ type: "disconnected", isFault: false });
  else if (statusCode >= 500) root.end({ type: String(statusCode), isFault: true });
  else root.end();
}
