export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed JSON body of the response; undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any;
  text: string;
}

/** A client of the REST API with its own credentials. */
export interface Actor {
  name: string;
  /** The actor's API key, empty for guests. */
  apiKey: string;
  /** The actor's cookies by name, as a browser stores them. */
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request with any method and a body that is already encoded. */
  send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

interface ActorOptions {
  name: string;
  apiKey?: string;
  baseUrl: () => string;
}

/** Creates an actor that stores cookies and sends its API key as a bearer token. */
export function createActor({ name, apiKey = "", baseUrl }: ActorOptions): Actor {
  const cookies = new Map<string, string>();

  const send: Actor["send"] = async (method, path, body, given = {}) => {
    const headers = new Headers(given);
    if (apiKey && !headers.has("authorization")) headers.set("authorization", `Bearer ${apiKey}`);
    if (cookies.size > 0) {
      headers.set("cookie", [...cookies].map(([key, value]) => `${key}=${value}`).join("; "));
    }
    if (!headers.has("sec-fetch-site")) headers.set("sec-fetch-site", "same-origin");
    const response = await fetch(baseUrl() + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0/i.test(cookie)) cookies.delete(key);
      else cookies.set(key, value);
    }
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
  const withJson =
    (method: string): Actor["post"] =>
    (path, body, headers) =>
      send(method, path, JSON.stringify(body ?? {}), {
        "content-type": "application/json",
        ...headers,
      });

  return {
    name,
    apiKey,
    cookies,
    send,
    get: (path, headers) => send("GET", path, undefined, headers),
    delete: (path, headers) => send("DELETE", path, undefined, headers),
    post: withJson("POST"),
    put: withJson("PUT"),
  };
}
