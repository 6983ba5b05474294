/** A type, a list of a shape, or an object of shapes. `texts` is an object whose values are strings. */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };
type Fields = Readonly<Record<string, string>>;

/** The fields of one type by their names. `!` marks a required field of a request. */
const fields =
  (type: string) =>
  (names: string): Fields =>
    Object.fromEntries(
      names
        .split(" ")
        .map((name) => [name.replace("!", ""), name.endsWith("!") ? `${type}!` : type]),
    );
const texts = fields("string");
const numbers = fields("integer");
const flags = fields("boolean");

const soulListEntry = {
  ...numbers("id like_count fork_count"),
  ...texts("title description role domain compatibility file_type created_at"),
};
const soul = { ...soulListEntry, ...numbers("user_id is_public"), ...texts("content") };
const replyQuota = {
  ...texts("tier"),
  ...numbers("daily_remaining daily_limit deep_think_cost"),
  ...flags("deep_think_available"),
};
const chatQuota = {
  ...replyQuota,
  ...numbers("daily_count premium_remaining premium_limit max_input_chars"),
  ...flags("allow_image"),
};
const room = { ...numbers("soul_id!"), ...texts("session_token!") };
const chatMessage = texts("role sender_name content");
const miniApp = {
  ...texts("slug icon category title description badge search_keywords"),
  ...numbers("field_count"),
};
const category = { ...numbers("id"), ...texts("name slug icon") };
const version = { ...numbers("id soul_id"), ...texts("title content edited_at") };
const message = texts("message");
const ofSoul = numbers("soul_id!");
const editable = texts("title description content role domain compatibility");
const walletProof = "public_key! signature! message!";

type Auth = "None" | "Bearer" | "Session/Key" | "Section 5";

/**
 * The endpoints as specification §4 lists them: credential, request and response. Every response also
 * has `success`.
 */
export const specified: Readonly<
  Record<
    string,
    readonly [auth: Auth, request: Fields, answer: { readonly [field: string]: Shape }]
  >
> = {
  // 4.1 Accounts
  "POST /register": ["None", texts("username! password! email!"), texts("message api_key")],
  "POST /login": [
    "None",
    { ...texts("username! password!"), ...flags("remember") },
    texts("message api_key"),
  ],
  "POST /change-password": [
    "Bearer",
    texts("current_password! new_password! confirm_password!"),
    message,
  ],
  "POST /bind-wallet": ["Bearer", texts(`action wallet! ${walletProof}`), message],
  "POST /wallet-login": ["None", texts(`account_id! ${walletProof}`), {}],
  // 4.2 Chat
  "GET /chat": ["Bearer", room, { messages: [chatMessage] }],
  "GET /my-chats": [
    "Bearer",
    {},
    { sessions: [{ ...numbers("soul_id"), ...texts("session_token summary last_updated") }] },
  ],
  "POST /chat": [
    "Bearer",
    { ...room, ...texts("action content image"), ...flags("is_private deep_think") },
    { ...texts("reply sender_name"), quota: replyQuota },
  ],
  "GET /chat-quota": ["Section 5", {}, { quota: chatQuota }],
  "POST /self-chat": [
    "Bearer",
    { ...room, ...texts("content image"), ...flags("is_private") },
    texts("reply sender_name"),
  ],
  "GET /chat-sync": [
    "Section 5",
    { ...room, ...numbers("last_id") },
    { ...numbers("online_count"), new_messages: [{ ...numbers("id"), ...chatMessage }] },
  ],
  // 4.3 Mini apps
  "GET /apps": ["None", texts("category q slug"), { ...numbers("count"), data: [miniApp] }],
  "POST /apps": [
    "Session/Key",
    { ...ofSoul, ...texts("slug!"), fields: "texts!" },
    { ...numbers("soul_id"), ...texts("slug content chat_path") },
  ],
  // 4.4 Souls
  "GET /categories": ["None", {}, { ...numbers("count"), data: [category] }],
  "GET /souls": [
    "None",
    { ...numbers("limit offset"), ...texts("q sort role") },
    { ...numbers("count"), data: [soulListEntry] },
  ],
  "GET /soul/{id}": ["None", numbers("id!"), { data: soul }],
  "POST /souls": [
    "Bearer",
    { ...editable, ...texts("title! content!") },
    { ...numbers("id"), ...texts("message url") },
  ],
  "PUT /soul/{id}": ["Bearer", { ...editable, ...numbers("id! is_public") }, message],
  "DELETE /soul/{id}": ["Bearer", numbers("id!"), message],
  // 4.5 Profiles and social
  "GET /profile": [
    "None",
    texts("username!"),
    {
      user: texts("username joined_at"),
      stats: numbers("total_souls total_likes total_forks"),
      souls: [soulListEntry],
    },
  ],
  "GET /versions": ["Section 5", ofSoul, { ...numbers("count"), data: [version] }],
  "POST /versions": ["Bearer", numbers("soul_id! version_id!"), message],
  "POST /fork": ["Bearer", ofSoul, { ...numbers("new_soul_id"), ...texts("message url") }],
  "POST /like": ["Bearer", ofSoul, { ...message, ...flags("liked") }],
  "POST /rate": [
    "Bearer",
    numbers("soul_id! rating!"),
    { ...message, avg_rating: "number", ...numbers("total_ratings") },
  ],
};
