/**
 * The endpoints as specification §4 lists them. `!` marks a required field of a request. Every
 * response also has `success`. An array is written with the type of its elements. `texts` is an
 * object whose values are strings.
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

export interface SpecifiedEndpoint {
  auth: "None" | "Bearer" | "Session/Key" | "Section 5";
  request: Readonly<Record<string, string>>;
  answer: Readonly<Record<string, Shape>>;
}

const message = { message: "string" } as const;

const soulListEntry = {
  id: "integer",
  title: "string",
  description: "string",
  role: "string",
  domain: "string",
  compatibility: "string",
  file_type: "string",
  like_count: "integer",
  fork_count: "integer",
  created_at: "string",
} as const;

const soul = {
  ...soulListEntry,
  user_id: "integer",
  content: "string",
  is_public: "integer",
} as const;

const replyQuota = {
  tier: "string",
  daily_remaining: "integer",
  daily_limit: "integer",
  deep_think_available: "boolean",
  deep_think_cost: "integer",
} as const;

const walletProof = { public_key: "string!", signature: "string!", message: "string!" } as const;
const room = { soul_id: "integer!", session_token: "string!" } as const;
const chatMessage = { role: "string", sender_name: "string", content: "string" } as const;

const miniApp = {
  slug: "string",
  icon: "string",
  category: "string",
  title: "string",
  description: "string",
  badge: "string",
  field_count: "integer",
  search_keywords: "string",
} as const;

export const specified: Readonly<Record<string, SpecifiedEndpoint>> = {
  // 4.1 Accounts
  "POST /register": {
    auth: "None",
    request: { username: "string!", password: "string!", email: "string!" },
    answer: { ...message, api_key: "string" },
  },
  "POST /login": {
    auth: "None",
    request: { username: "string!", password: "string!", remember: "boolean" },
    answer: { ...message, api_key: "string" },
  },
  "POST /change-password": {
    auth: "Bearer",
    request: {
      current_password: "string!",
      new_password: "string!",
      confirm_password: "string!",
    },
    answer: message,
  },
  "POST /bind-wallet": {
    auth: "Bearer",
    request: { action: "string", wallet: "string!", ...walletProof },
    answer: message,
  },
  "POST /wallet-login": {
    auth: "None",
    request: { account_id: "string!", ...walletProof },
    answer: {},
  },
  // 4.2 Chat
  "GET /chat": { auth: "Bearer", request: room, answer: { messages: [chatMessage] } },
  "GET /my-chats": {
    auth: "Bearer",
    request: {},
    answer: {
      sessions: [
        { session_token: "string", soul_id: "integer", summary: "string", last_updated: "string" },
      ],
    },
  },
  "POST /chat": {
    auth: "Bearer",
    request: {
      ...room,
      action: "string",
      content: "string",
      image: "string",
      is_private: "boolean",
      deep_think: "boolean",
    },
    answer: { reply: "string", sender_name: "string", quota: replyQuota },
  },
  "GET /chat-quota": {
    auth: "Section 5",
    request: {},
    answer: {
      quota: {
        ...replyQuota,
        daily_count: "integer",
        premium_remaining: "integer",
        premium_limit: "integer",
        allow_image: "boolean",
        max_input_chars: "integer",
      },
    },
  },
  "POST /self-chat": {
    auth: "Bearer",
    request: { ...room, content: "string", image: "string", is_private: "boolean" },
    answer: { reply: "string", sender_name: "string" },
  },
  "GET /chat-sync": {
    auth: "Section 5",
    request: { ...room, last_id: "integer" },
    answer: { online_count: "integer", new_messages: [{ id: "integer", ...chatMessage }] },
  },
  // 4.3 Mini apps
  "GET /apps": {
    auth: "None",
    request: { category: "string", q: "string", slug: "string" },
    answer: { count: "integer", data: [miniApp] },
  },
  "POST /apps": {
    auth: "Session/Key",
    request: { slug: "string!", soul_id: "integer!", fields: "texts!" },
    answer: { slug: "string", soul_id: "integer", content: "string", chat_path: "string" },
  },
  // 4.4 Souls
  "GET /categories": {
    auth: "None",
    request: {},
    answer: {
      count: "integer",
      data: [{ id: "integer", name: "string", slug: "string", icon: "string" }],
    },
  },
  "GET /souls": {
    auth: "None",
    request: { limit: "integer", offset: "integer", q: "string", sort: "string", role: "string" },
    answer: { count: "integer", data: [soulListEntry] },
  },
  "GET /soul/{id}": { auth: "None", request: { id: "integer!" }, answer: { data: soul } },
  "POST /souls": {
    auth: "Bearer",
    request: {
      title: "string!",
      description: "string",
      content: "string!",
      role: "string",
      domain: "string",
      compatibility: "string",
    },
    answer: { ...message, id: "integer", url: "string" },
  },
  "PUT /soul/{id}": {
    auth: "Bearer",
    request: {
      id: "integer!",
      title: "string",
      description: "string",
      content: "string",
      role: "string",
      domain: "string",
      compatibility: "string",
      is_public: "integer",
    },
    answer: message,
  },
  "DELETE /soul/{id}": { auth: "Bearer", request: { id: "integer!" }, answer: message },
  // 4.5 Profiles and social
  "GET /profile": {
    auth: "None",
    request: { username: "string!" },
    answer: {
      user: { username: "string", joined_at: "string" },
      stats: { total_souls: "integer", total_likes: "integer", total_forks: "integer" },
      souls: [soulListEntry],
    },
  },
  "GET /versions": {
    auth: "Section 5",
    request: { soul_id: "integer!" },
    answer: {
      count: "integer",
      data: [
        {
          id: "integer",
          soul_id: "integer",
          title: "string",
          content: "string",
          edited_at: "string",
        },
      ],
    },
  },
  "POST /versions": {
    auth: "Bearer",
    request: { soul_id: "integer!", version_id: "integer!" },
    answer: message,
  },
  "POST /fork": {
    auth: "Bearer",
    request: { soul_id: "integer!" },
    answer: { ...message, new_soul_id: "integer", url: "string" },
  },
  "POST /like": {
    auth: "Bearer",
    request: { soul_id: "integer!" },
    answer: { ...message, liked: "boolean" },
  },
  "POST /rate": {
    auth: "Bearer",
    request: { soul_id: "integer!", rating: "integer!" },
    answer: { ...message, avg_rating: "number", total_ratings: "integer" },
  },
};
