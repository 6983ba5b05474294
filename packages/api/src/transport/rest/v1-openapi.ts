import { type FailureCode, failureStatus, HubError } from "../../errors.ts";
import { toChatCompletion } from "../v1/chat-answer.ts";
import { chatBody } from "../v1/chat-request.ts";
import { modelsQuery } from "../v1/models.ts";
import { responsesBody } from "../v1/responses-request.ts";
import { toV1Error } from "../v1/v1-errors.ts";
import { type JsonSchema, toJsonSchema } from "./openapi-examples.ts";
import { countedHeaders, failureHeaders, headerComponents } from "./openapi-headers.ts";

// OpenAI's protocol in the OpenAPI document (0051). Schemas are those that the calls are checked by.

const model = "ada/keeper-of-the-light-7";
const TAG = "v1";

/** @param url the hub's URL without a trailing slash; empty in the committed document */
export const v1Tag = (url: string) => ({
  name: TAG,
  "x-displayName": "OpenAI's protocol",
  description: `\
Each soul is a model of any program that speaks OpenAI's protocol: a chat program, an editor, an agent, the
\`openai\` packages. Such a program asks for three values:

- **Base URL:** \`${url}/v1\`
- **API key:** your main key, or a named key with the scope \`chat\`. Cookies are ignored.
- **Model:** \`${model}\`, which is the owner, words of the title, and the soul's number. Owner and number decide.
  The words may be outdated, and \`soul-7\` works, too.

What a call does:

- **Stateless.** A call brings the whole conversation, and nothing of it is stored. Tools and JSON schemas are
  passed on to the model; the hub runs no tool.
- **Rooms.** With \`metadata.session_token\`, or the header \`X-Soul-Hub-Session\`, the last message goes into that
  live room. Everyone there sees the reply as it is written. The answer adds
  \`soul_hub {reply_id, session_token}\`. Tools, \`n\` and \`response_format\` are 400 there.
- **Who pays.** With a vip or pro pass, your daily messages: one for each started \`max_input_chars\` of a call,
  at most four. Without a pass, your own provider key (\`PUT /api/byok\`), as with \`:own\` at the end of a model.
  Rooms need a pass. Nothing switches when your messages are used up.
- **Failures.** \`{"error": {"message", "type", "param", "code"}, "request_id"}\`. The codes are the hub's, except
  \`invalid_api_key\`, \`model_not_found\`, \`context_length_exceeded\` and \`insufficient_quota\`. With
  \`x-should-retry: false\` a repetition is useless. A failure amid a stream is an event, without \`[DONE]\`.
- **Not supported.** 400: \`n\` above 1, \`logprobs\`, \`audio\`, \`functions\`, \`previous_response_id\`,
  \`conversation\`, \`background\`, addresses of images. Ignored: \`user\`, \`store\`, \`service_tier\`, unknown fields.`,
});

const entry = {
  id: model,
  object: "model",
  created: 1_769_860_800,
  owned_by: "ada",
  name: "Keeper of the Light",
  description: "Keeps a lighthouse far out at sea.",
};
const question = "What do you see tonight?";
const reply = "Two ships, and a storm behind them.";
const head = { id: "chatcmpl_5e1f6c1e3c5b4f0e", created: entry.created, model };
const whole = toChatCompletion(head, {
  text: reply,
  finish: "stop",
  toolCalls: [],
  inputTokens: 212,
  outputTokens: 9,
  soul_hub: null,
});
const chunk = { ...head, object: "chat.completion.chunk" };
const delta = { index: 0, delta: { content: "Two ships" }, finish_reason: null };
const response = {
  id: "resp_5e1f6c1e3c5b4f0e",
  object: "response",
  created_at: entry.created,
  status: "completed",
  model,
  output: [
    {
      id: "msg_9a530c9b6b7f2f10",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: reply, annotations: [] }],
    },
  ],
  usage: { input_tokens: 212, output_tokens: 9, total_tokens: 221 },
};
const textDelta = { type: "response.output_text.delta", sequence_number: 4, delta: "Two ships" };

const reading: FailureCode[] = [
  "invalid_input",
  "unauthenticated",
  "scope_missing",
  "rate_limited",
];
const talking: FailureCode[] = [
  ...reading,
  "invalid_json",
  "image_invalid",
  "input_too_long",
  "pass_required",
  "pass_expired",
  "nft_required",
  "byok_key_rejected",
  "soul_not_found",
  "cancelled",
  "body_too_large",
  "unsupported_media_type",
  "quota_exceeded",
  "provider_failed",
  "overloaded",
  "no_model",
  "provider_timeout",
];

const schemaName = "V1Failure";

/** The body of every failure below `/v1`. */
export const v1Schemas = {
  [schemaName]: {
    type: "object",
    description: "Body of every failure below `/v1`.",
    required: ["error", "request_id"],
    properties: {
      error: {
        type: "object",
        required: ["message", "type", "param", "code"],
        properties: {
          message: { type: "string" },
          type: { type: "string" },
          param: { type: ["string", "null"], description: "The field that is wrong." },
          code: { type: "string" },
        },
      },
      request_id: { type: "string", description: "The value of `X-Request-Id`." },
    },
  },
};

function failures(codes: readonly FailureCode[]) {
  const [request_id = ""] = headerComponents.RequestId.schema.examples;
  const byStatus = Map.groupBy(codes, failureStatus);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const bodies = found.map((code) => ({ error: toV1Error(new HubError(code)), request_id }));
      return [
        status,
        {
          description: bodies.map(({ error }) => `\`${error.code}\``).join(", "),
          headers: failureHeaders(status, found),
          content: {
            "application/json": {
              schema: { $ref: `#/components/schemas/${schemaName}` },
              examples: Object.fromEntries(bodies.map((value) => [value.error.code, { value }])),
            },
          },
        },
      ];
    }),
  );
}

const success = (example: object, stream?: string) => ({
  description: "Success.",
  headers: countedHeaders,
  content: {
    "application/json": { schema: { type: "object" }, example },
    ...(stream && { "text/event-stream": { schema: { type: "string" }, example: stream } }),
  },
});

const ofGuests = [{}, { key: ["chat"] }];
const ofKeys = [{ key: ["chat"] }];

const session = {
  name: "X-Soul-Hub-Session",
  in: "header",
  required: false,
  description: "The live room that gets the last message, like `metadata.session_token`.",
  schema: { type: "string" },
  // Otherwise the page /docs would send the example.
  examples: { example: { value: "harbour", "x-disabled": true } },
};

const query = toJsonSchema(modelsQuery, "output").properties as Record<string, JsonSchema>;
const inQuery = (name: string, description: string, example: string | number) => ({
  name,
  in: "query",
  required: false,
  description,
  schema: query[name],
  examples: { example: { value: example, "x-disabled": true } },
});

const talk = (
  operationId: string,
  summary: string,
  body: { schema: JsonSchema; example: object },
  answer: object,
) => ({
  operationId,
  tags: [TAG],
  summary,
  security: ofKeys,
  parameters: [session],
  requestBody: { required: true, content: { "application/json": body } },
  responses: { 200: answer, ...failures(talking) },
});

/** The operations of `/v1`, by path and method. */
export const v1Paths = {
  "/v1/models": {
    get: {
      operationId: "v1ListModels",
      tags: [TAG],
      summary: "List souls as models",
      description:
        "Your own souls, those that you like, and popular ones; 200 in all. Guests get 100 popular ones. A named key needs `souls:read` for private souls, and `social` for liked ones.",
      security: ofGuests,
      parameters: [
        inQuery("limit", "The most models of an answer.", 20),
        inQuery("after", "The id of the last model of the page before.", model),
        inQuery("q", "Searches all public souls instead.", "lighthouse"),
      ],
      responses: {
        200: success({ object: "list", data: [entry], has_more: false, last_id: model }),
        ...failures(reading),
      },
    },
  },
  "/v1/models/{id}": {
    get: {
      operationId: "v1ReadModel",
      tags: [TAG],
      summary: "Read one model",
      security: ofGuests,
      parameters: [
        {
          name: "id",
          in: "path",
          required: true,
          description: "The model. Its slash may be plain or encoded.",
          schema: { type: "string", examples: [model] },
        },
      ],
      responses: { 200: success(entry), ...failures([...reading, "soul_not_found"]) },
    },
  },
  "/v1/chat/completions": {
    post: talk(
      "v1CreateChatCompletion",
      "Talk to a soul (chat completions)",
      {
        schema: toJsonSchema(chatBody, "input"),
        example: { model, messages: [{ role: "user", content: question }] },
      },
      success(whole, `data: ${JSON.stringify({ ...chunk, choices: [delta] })}\n\ndata: [DONE]\n\n`),
    ),
  },
  "/v1/responses": {
    post: talk(
      "v1CreateResponse",
      "Talk to a soul (responses)",
      { schema: toJsonSchema(responsesBody, "input"), example: { model, input: question } },
      success(response, `event: ${textDelta.type}\ndata: ${JSON.stringify(textDelta)}\n\n`),
    ),
  },
};
