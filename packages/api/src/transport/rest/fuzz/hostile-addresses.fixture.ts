import {
  invalidInput,
  pick,
  prototypeNames,
  refused,
  type Twist,
  takesBody,
} from "./twist.fixture.ts";

const withQuery = (text: string) => ({
  rewrite: (target: string) => `${target}${target.includes("?") ? "&" : "?"}${text}`,
});

export const hostileAddresses: Twist[] = [
  {
    twist: "NUL in the address",
    fits: ({ parameters }) => parameters.some((one) => one.in === "query"),
    change: (_, nth) => withQuery(pick(["q=%00", "x=a%00b", "%00=1"], nth)),
    refusal: invalidInput,
  },
  {
    twist: "names of the prototype in the address",
    change: (_, nth) =>
      withQuery(`${pick(prototypeNames, nth)}=1&${pick(prototypeNames, nth)}=2&a[__proto__]=3&=&&`),
  },
  {
    twist: "every parameter twice",
    change: ({ query }) => ({ query: [...query, ...query] }),
  },
  {
    twist: "a very long address",
    change: (_, nth) => withQuery(`q=${"x".repeat(pick([8_000, 12_000], nth))}`),
    refusal: refused("url", 414, "uri_too_long"),
  },
  {
    twist: "a long path",
    fits: ({ path }) => path.includes("{id}"),
    change: (_, nth) => ({ path: { id: "1".repeat(pick([150, 3_999, 4_001, 7_500], nth)) } }),
  },
  {
    twist: "a very long path",
    fits: ({ path }) => path.includes("{id}"),
    change: () => ({ path: { id: "1".repeat(9_000) } }),
    refusal: refused("url", 414, "uri_too_long"),
  },
  {
    twist: "bad percent-encoding",
    change: (_, nth) => withQuery(pick(["q=%", "q=%zz", "q=%E0%A4%A", "%ff=1", "q=%c0%80"], nth)),
    refusal: refused("url", 400, "invalid_input"),
  },
  {
    twist: "another method",
    change: ({ operation }, nth) => ({
      method: pick(["PATCH", "TRACE", "PROPFIND", "PURGE", "MKCOL", "LINK", "SEARCH"], nth),
      body: takesBody(operation) ? {} : undefined,
    }),
    refusal: refused("method", 405, "method_not_allowed"),
    weight: 2,
  },
  {
    twist: "HEAD for GET",
    fits: (one) => one.method === "GET",
    change: () => ({ method: "HEAD" }),
  },
  { twist: "OPTIONS", change: () => ({ method: "OPTIONS", body: undefined }) },
  {
    twist: "a path written otherwise",
    change: (_, nth) => ({
      isElsewhere: true,
      rewrite: (target) =>
        pick(
          [
            target.replace("/api/", "/API/"),
            target.replace("/api/", "/api//"),
            target.replace("/api/", "/api/./"),
            target.replace(/(?=\?|$)/, "/"),
            target.replace("/api/", "/%61pi/"),
            target.replace("/api/", "/api%2F"),
          ],
          nth,
        ),
    }),
  },
];
