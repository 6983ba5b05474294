import type { Row, StatusTable } from "../../testing/status-table.ts";
import type { StatusWorld } from "../../testing/status-world.ts";
import type { Who } from "../../testing/who.ts";
import { entering, GIF } from "../status-table.fixture.ts";

const saveKey = ({ ownKey, people }: StatusWorld, who: Who) => people[who].put("/api/byok", ownKey);

/** A message by somebody who has just saved their key; `then` happens afterwards. */
const withKey =
  (fields: object = {}, then: (world: StatusWorld) => void = () => undefined): Row[1] =>
  async (world, who) => {
    await saveKey(world, who);
    then(world);
    return { ...world.newRoom(), content: "Hello.", ...fields };
  };

/** Decisions §5, BYOK; specification §4.2, self-chat. */
export const ownKeyStatuses: StatusTable = {
  "PUT /byok": [
    ["a key", ({ ownKey }) => ownKey, { everybody: "200" }],
    [
      "a key that its provider refuses",
      ({ ownKey }) => ({ ...ownKey, api_key: "sk-wrong" }),
      { everybody: "400 byok_key_rejected" },
    ],
    [
      "an address that nobody allowed",
      ({ ownKey }) => ({ ...ownKey, base_url: "http://127.0.0.1:1/v1" }),
      { everybody: "400 invalid_input" },
    ],
    [
      "a provider that fails",
      ({ ownKey, provider }) => {
        provider.failNext({ status: 500 });
        return ownKey;
      },
      { key: "502 provider_failed", owner: "502 provider_failed" },
    ],
  ],

  "GET /byok": [["at any time", {}, { everybody: "200" }]],

  "DELETE /byok": [
    ["a key, or none", { provider: "openai" }, { everybody: "200" }],
    ["an unknown provider", { provider: "offline" }, { everybody: "400 invalid_input" }],
  ],

  "POST /self-chat": [
    [
      "no key",
      async ({ newRoom, people }, who) => {
        await people[who].delete("/api/byok?provider=openai-compatible");
        return { ...newRoom(), content: "Hello." };
      },
      { everybody: "403 byok_inactive" },
    ],
    ...entering({ content: "Hello." }, saveKey),
    ["nothing to say", withKey({ content: " " }), { everybody: "400 invalid_input" }],
    [
      "2,001 characters",
      withKey({ content: "x".repeat(2_001) }),
      { key: "400 input_too_long", expired: "400 input_too_long", vip: "200" },
    ],
    ["no image", withKey({ image: "data:," }), { everybody: "400 image_invalid" }],
    [
      "an image, and no vision model",
      withKey({ image: GIF }),
      { everybody: "403 image_not_allowed" },
    ],
    [
      "a key that its provider refuses by now",
      withKey({}, (world) => world.revokeOwnKey()),
      { everybody: "403 byok_key_rejected" },
      { after: (world) => world.renewOwnKey() },
    ],
    [
      "a provider that refuses",
      withKey({}, ({ provider }) => provider.failNext({ status: 400 })),
      { key: "502 provider_failed", owner: "502 provider_failed" },
    ],
    [
      "a provider that does not answer",
      withKey({}, ({ provider }) => provider.failNext("hang")),
      { key: "504 provider_timeout" },
    ],
  ],
};
