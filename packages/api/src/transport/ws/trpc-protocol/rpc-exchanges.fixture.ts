/** Valid or invalid frames that a client sends over a socket of its own. */
export interface Exchange {
  name: string;
  /**
   * The client's frames. Each item is sent after the responses to the previous item. The frames of
   * an inner list are sent together, in one turn of the event loop.
   */
  frames: (string | Buffer | (string | Buffer)[])[];
  /** The query string of the socket's URL. */
  query?: string;
}

/** The session token in the frames. The test replaces it, so that each socket uses its own room. */
export const ROOM = "contract";

export interface Names {
  soul_id: number;
  apiKey: string;
}

const say = (...messages: unknown[]) => messages.map((message) => JSON.stringify(message));
const query = (id: unknown, path: unknown = "souls.list", input: unknown = {}) => ({
  id,
  method: "query",
  params: { path, input },
});
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

export function exchanges({ soul_id, apiKey }: Names): Exchange[] {
  const room = { soul_id, session_token: ROOM };
  const live = (id: unknown, input: unknown = room, more: object = {}) => ({
    id,
    method: "subscription",
    params: { path: "rooms.live", input, ...more },
  });
  const stop = (id: unknown) => ({ id, method: "subscription.stop" });
  const each = (name: string, frames: Exchange["frames"]) =>
    frames.map((frame) => ({ name: `${name}: ${String(frame).slice(0, 80)}`, frames: [frame] }));
  const ids = [0, -1, 1.5, 2 ** 60, "", "a", "__proto__", 'é"\\\n', null, true, {}, [1], undefined];
  const paths = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "then",
    "_def",
    "rooms",
    "rooms.live.x",
    "rooms.live",
    "rooms.typing",
    "",
    ".",
    "x".repeat(500),
    null,
    7,
    ["souls.list"],
    undefined,
  ];
  const inputs = [
    null,
    undefined,
    "text",
    7,
    [room],
    {},
    { ...room, last_id: -1 },
    { ...room, last_id: "1" },
    { ...room, lastEventId: "x".repeat(101) },
    { ...room, session_token: "a\0b" },
    { ...room, session_token: "\ud800" },
    { ...room, soul_id: 99 },
    { ...room, more: nested(40) },
    JSON.parse(`{"soul_id":1,"__proto__":{"session_token":"x"}}`),
    { ...room, more: "is dropped" },
  ];
  const params = [
    '{"method":"connectionParams","data":null}',
    '{"method":"connectionParams"}',
    '{"method":"connectionParams","data":[]}',
    '{"method":"connectionParams","data":{"a":1}}',
    '{"method":"connectionParams","data":{"authorization":"Bearer nonsense"}}',
    `{"method":"connectionParams","data":{"authorization":"Bearer ${apiKey}"}}`,
    "{",
    "[]",
    "null",
    Buffer.from("{}"),
    JSON.stringify(query(1, "accounts.me")),
  ];
  return [
    ...each("a frame without a call", [
      "PING",
      "PONG",
      "{",
      "",
      "null",
      "[]",
      '"x"',
      "7",
      "ping",
      "{}",
      "[[]]",
    ]),
    ...each("a binary frame", [
      Buffer.from("PING"),
      Buffer.from(JSON.stringify(query(1))),
      Buffer.alloc(0),
    ]),
    ...each("an id", say(...ids.map((id) => query(id)))),
    ...each("the id of a subscription", say(...ids.map((id) => live(id)))),
    ...each("the id of a stop", say(...ids.map(stop))),
    ...each("a path", say(...paths.map((path) => query(1, path)))),
    ...each(
      "the path of a subscription",
      say(...paths.map((path) => ({ ...live(1), params: { path, input: room } }))),
    ),
    ...each("an input", say(...inputs.map((input) => live(1, input)))),
    ...each("an input of rooms.sync", say(...inputs.map((input) => query(1, "rooms.sync", input)))),
    ...each("jsonrpc", say(...["2.0", "1.0", 2, null].map((jsonrpc) => ({ ...live(1), jsonrpc })))),
    ...each(
      "a method",
      say(...["", "subscribe", "Query", null, {}].map((method) => ({ ...query(1), method }))),
    ),
    ...each("params", say(...[null, [], "x", {}].map((given) => ({ ...query(1), params: given })))),
    ...each(
      "lastEventId",
      say(
        ...["0", "0.node.3", "9", "", "x", 7, null].map((id) => live(1, room, { lastEventId: id })),
      ),
    ),
    ...each(
      "lastEventId and an input that is",
      say(...["text", [room], null].map((input) => live(1, input, { lastEventId: "0" }))),
    ),
    ...each("a batch", [
      ...say([query(1), query(2, "no.such"), live(3), query("4", "accounts.me")]),
      ...say([query(1), null]),
      ...say([query(1), [query(2)]]),
      ...say(Array.from({ length: 64 }, (_, id) => query(id))),
      ...say(Array.from({ length: 65 }, (_, id) => ({ ...query(id), jsonrpc: "2.0" }))),
      ...say([...Array.from({ length: 64 }, () => stop(1)), 7, query(null), query("b")]),
      ...say(Array.from({ length: 65 }, () => stop(1))),
      ...say([live(1), live(1)]),
      ...say([live(1), stop(1)]),
      ...say([live(1), stop(1), live(1)]),
      ...say([query(1), query(1)]),
      ...say(Array.from({ length: 32 }, (_, id) => live(id))),
    ]),
    { name: "a stop and the same id again", frames: [...say(live(1)), say(stop(1), live(1))] },
    { name: "the same id after its stop", frames: say(live(1), stop(1), live(1), stop(1)) },
    { name: "an id of two types", frames: say(live(1), live("1"), stop("1"), query(1)) },
    { name: "two stops", frames: say(live(1), stop(1), stop(1)) },
    { name: "frames in one turn", frames: [say(live(1), query(2), stop(1), query(3, "no.such"))] },
    {
      name: "special characters in an id and an input",
      frames: say(query('"', "souls.list", { q: "é\u2028" }), live("</script>\u0007")),
    },
    ...params.map((first) => ({
      name: `connectionParams ${String(first)}`,
      query: "?connectionParams=1",
      frames: ["PING", first, ...say(query(1, "accounts.me"), live(2))],
    })),
    {
      name: "connectionParams in the turn of the first call",
      query: "?connectionParams=1",
      frames: [[params[5] ?? "", ...say(query(1, "accounts.me"))]],
    },
    { name: "other query parameters", query: "?connectionParams=2&x", frames: say(query(1)) },
  ];
}
