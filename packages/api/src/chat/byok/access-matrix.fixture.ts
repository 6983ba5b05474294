import type { AccessMatrix, Row } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../../testing/access/caller-kinds.ts";
import { entering, GIF } from "../access-matrix.fixture.ts";

const saveKey = ({ ownKey, people }: AccessMatrixWorld, who: CallerKind) =>
  people[who].put("/api/byok", ownKey);

/**
 * Creates the request of a test case. The caller saves its provider key, then the function `then`
 * runs. The request contains a message to a new room.
 */
const withKey =
  (fields: object = {}, then: (world: AccessMatrixWorld) => void = () => undefined): Row[1] =>
  async (world, who) => {
    await saveKey(world, who);
    then(world);
    return { ...world.newRoom(), content: "Hello.", ...fields };
  };

/** Expected access to /api/byok (decisions §5, BYOK) and to self-chat (specification §4.2). */
export const ownKeyAccess: AccessMatrix = {
  "PUT /byok": [
    ["a key", ({ ownKey }) => ownKey, "200"],
    [
      "a key that its provider rejects",
      ({ ownKey }) => ({ ...ownKey, api_key: "sk-wrong" }),
      "400 byok_key_rejected",
    ],
    [
      "a base_url that is not listed",
      ({ ownKey }) => ({ ...ownKey, base_url: "http://127.0.0.1:1/v1" }),
      "400 invalid_input",
    ],
    [
      "a provider that responds with 500",
      ({ ownKey, provider }) => {
        provider.failNext({ status: 500 });
        return ownKey;
      },
      { key: "502 provider_failed", owner: "502 provider_failed" },
    ],
  ],
  "GET /byok": [["a stored key or none", {}, "200"]],
  "DELETE /byok": [
    ["a stored key or none", { provider: "openai" }, "200"],
    ["an unknown provider", { provider: "offline" }, "400 invalid_input"],
  ],
  "POST /self-chat": [
    [
      "no key",
      async ({ newRoom, people }, who) => {
        await people[who].delete("/api/byok?provider=openai-compatible");
        return { ...newRoom(), content: "Hello." };
      },
      "403 byok_inactive",
    ],
    ...entering({ content: "Hello." }, saveKey),
    ["a blank message", withKey({ content: " " }), "400 invalid_input"],
    [
      "2,001 characters",
      withKey({ content: "x".repeat(2_001) }),
      { key: "400 input_too_long", expired: "400 input_too_long", vip: "200" },
    ],
    ["an invalid image", withKey({ image: "data:," }), "400 image_invalid"],
    ["an image without a vision model", withKey({ image: GIF }), "403 image_not_allowed"],
    [
      "a key that its provider revoked",
      withKey({}, (world) => world.revokeOwnKey()),
      "403 byok_key_rejected",
    ],
    [
      "a provider that responds with 400",
      withKey({}, ({ provider }) => provider.failNext({ status: 400 })),
      { key: "502 provider_failed", owner: "502 provider_failed" },
    ],
    [
      "a provider that never responds",
      withKey({}, ({ provider }) => provider.failNext("hang")),
      { key: "504 provider_timeout" },
    ],
  ],
};
