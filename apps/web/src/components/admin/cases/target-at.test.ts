import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { targetAt } from "./target-at.ts";

const origin = "https://hub.example";
beforeEach(() => void vi.stubGlobal("location", { origin }));
afterEach(() => void vi.unstubAllGlobals());

it.each([
  ["/u/ada", { kind: "person", username: "ada" }],
  ["/u/%61da", { kind: "person", username: "ada" }],
  ["/soul/7", { kind: "soul", soul_id: 7 }],
  ["/chat/7/pier", { kind: "room", soul_id: 7, session_token: "pier" }],
  ["/chat/7/pier?at=9", { kind: "message", soul_id: 7, session_token: "pier", message_id: 9 }],
])("reads what %s shows", (path, target) => {
  expect(targetAt(origin + path)).toEqual(target);
});

it.each(["/u/50%", "/u/%E0%A4%A", "/u/", "/soul/0", "/soul/%", "/chat/7", "nonsense", ""])(
  "knows nothing at %j",
  (address) => expect(targetAt(address)).toBeUndefined(),
);
