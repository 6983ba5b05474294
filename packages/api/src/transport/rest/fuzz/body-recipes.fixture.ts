import fc from "fast-check";
import { miniApps } from "../../../mini-apps/catalogue.ts";
import { exampleValues } from "../../../mini-apps/mini-apps.fixture.ts";
import { known, ownToken } from "./field-values.fixture.ts";
import { NEVER_LOGGED } from "./secrets.fixture.ts";

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const proof = {
  public_key: known("proof.public_key"),
  message: known("proof.message"),
  signature: known("proof.signature"),
};

const text = fc
  .string({ unit: "grapheme", maxLength: 60 })
  .map((words) => `${NEVER_LOGGED} ${words}`);

const chatMessage = fc.record(
  {
    action: fc.constant("chat"),
    soul_id: known("public soul", "opened soul", "private soul", "gated soul"),
    session_token: fc.oneof(known("private room"), fc.constant("lobby"), ownToken),
    content: text,
    image: fc.constantFrom(PNG, null, null),
    is_private: fc.boolean(),
    deep_think: fc.boolean(),
  },
  { requiredKeys: ["soul_id", "session_token", "content"] },
);

const providerKey = fc.record(
  {
    provider: fc.constant("openai-compatible"),
    api_key: fc.stringMatching(/^[\x21-\x7e]{1,80}$/).map((key) => `${NEVER_LOGGED}${key}`),
    base_url: known("address of a provider"),
    text_model: fc.constantFrom("own-text", "llama3.2:3b", null),
    vision_model: fc.constantFrom("own-vision", null),
    active: fc.boolean(),
  },
  { requiredKeys: ["provider", "api_key", "base_url"] },
);

/** A Markdown, or a character card. */
export const importedText = fc.oneof(
  text.map((words) => `# Orla\n\n${words}`),
  text.map((words) => JSON.stringify({ name: "Orla", description: words })),
);

const apps = [...miniApps.values()];

/**
 * Generators of request bodies whose fields depend on each other in ways that a schema cannot
 * express.
 */
export const bodyRecipes: Record<string, fc.Arbitrary<object>> = {
  // A proof for another text: an answer of 401, or another refusal before it.
  "POST /api/version-signature": fc.record({
    soul_id: known("public soul"),
    number: fc.integer({ min: 1, max: 3 }),
    public_key: proof.public_key,
    signature: proof.signature,
  }),
  "PUT /api/reaction": fc.record({
    soul_id: known("public soul"),
    session_token: fc.constant("lobby"),
    id: fc.integer({ min: 1, max: 9 }),
    emoji: fc.constantFrom("👍", "❤️", "👩‍💻"),
    on: fc.boolean(),
  }),
  "POST /api/login": fc.record({
    username: fc.constantFrom("pawn", "PAWN"),
    password: fc.oneof(
      { weight: 3, arbitrary: known("password of pawn") },
      { weight: 1, arbitrary: text },
    ),
    remember: fc.boolean(),
  }),
  "POST /api/register": fc.record({
    username: fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{6,20}[A-Za-z0-9]$/),
    password: text,
    email: fc.constant("somebody@example.org"),
  }),
  "POST /api/change-password": fc.record({
    current_password: known("own password"),
    new_password: known("own next password"),
    confirm_password: known("own next password"),
  }),
  "POST /api/admin/pass": fc.oneof(
    fc.record({
      username: fc.constantFrom("pawn", "nobody-there"),
      tier: fc.constantFrom("vip", "pro"),
      days: fc.integer({ min: 1, max: 36_500 }),
    }),
    fc.record({
      username: fc.constantFrom("pawn"),
      tier: fc.constantFrom("vip", "free"),
      expires_at: fc.constantFrom("2030-01-31 12:00:00", "2001-02-03T04:05:06Z", "2030-01-31"),
    }),
  ),
  "POST /api/bind-wallet": fc.record({
    wallet: fc.stringMatching(/^[a-z\d]{2,20}\.near$/),
    ...proof,
  }),
  "POST /api/wallet-login": fc.record({
    account_id: fc.constantFrom("pawn.near", "other.near"),
    ...proof,
  }),
  "POST /api/chat": chatMessage,
  "POST /api/self-chat": chatMessage,
  "POST /api/try": fc.record({
    soul: fc.record({ title: fc.constant("Orla"), content: text }),
    messages: fc.array(fc.record({ role: fc.constantFrom("user", "assistant"), content: text })),
    content: text,
  }),
  // The fuzzer's hub resolves no host names. A key for OpenAI is valid input, but OpenAI's host
  // cannot be reached.
  "PUT /api/byok": fc.oneof(
    { weight: 3, arbitrary: providerKey },
    { weight: 1, arbitrary: fc.constant({ provider: "openai", api_key: "sk-nowhere" }) },
  ),
  "POST /api/apps": fc.constantFrom(...apps).chain(({ entry, fields }) =>
    fc.record({
      slug: fc.constant(entry.slug),
      soul_id: known("public soul", "private soul", "gated soul"),
      fields: fc.constant(exampleValues(fields)),
    }),
  ),
};

/**
 * Operations that may answer 400 to a body which is valid by its schema. Causes are dependent
 * fields (a form and its app, a proof and its key, a restriction and its end, a share or a room, a
 * report and its target), a change without fields or with two that exclude each other, and hiding the present version. Other causes are
 * a message that is too long for the plan, a guest's name of characters that no schema can list, an
 * invite into a public room, a share up to an off-record message, souls without the room's own, and
 * an appeal against a decision that was taken back.
 */
export const crossFieldRules: ReadonlySet<string> = new Set([
  "PUT /api/soul/{id}",
  "PUT /api/version",
  "PUT /api/my-chats",
  "PUT /api/room-people",
  "PUT /api/guest-name",
  "PUT /api/room",
  "POST /api/room-invites",
  "POST /api/shares",
  "POST /api/room-copy",
  "POST /api/apps",
  "POST /api/import",
  "POST /api/souls/import",
  "POST /api/keys",
  "POST /api/reports",
  "POST /api/appeals",
  "DELETE /api/keys",
  "POST /api/bind-wallet",
  "POST /api/wallet-login",
]);
