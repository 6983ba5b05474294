import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A span as the collector gets it. */
export interface SunkSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status: { code?: number };
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}
interface Scope {
  spans: (Omit<SunkSpan, "attributes"> & { attributes: Attribute[] })[];
}
interface Exported {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: Scope[] }[];
}

export interface OtlpSink extends AsyncDisposable {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: SunkSpan[];
  /** The attributes of the service, from the last export. */
  resource: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  /** All bodies as text, to search them for secrets. */
  text(): string;
}

const named = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector of traces: OTLP over HTTP with JSON. */
export async function startOtlpSink(): Promise<OtlpSink> {
  const bodies: unknown[] = [];
  const sink = { spans: [] as SunkSpan[], resource: {}, headers: {} };
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Exported;
    bodies.push(body);
    sink.headers = request.headers;
    for (const { resource, scopeSpans } of body.resourceSpans) {
      sink.resource = named(resource.attributes);
      for (const { spans } of scopeSpans) {
        const read = spans.map((span) => ({ ...span, attributes: named(span.attributes) }));
        sink.spans.push(...read);
      }
    }
    response.writeHead(request.url === "/v1/traces" ? 200 : 404, {
      "content-type": "application/json",
    });
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(sink, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => JSON.stringify(bodies),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
}
