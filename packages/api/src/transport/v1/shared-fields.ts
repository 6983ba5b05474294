import { z } from "zod";
import { roomName } from "../../chat/chat.schema.ts";
import type { ModelTool } from "../../chat/models/model-port.ts";
import { HubError } from "../../errors.ts";
import { refused } from "./v1-errors.ts";

// Fields that both shapes of `/v1` share. Fields that are not listed are ignored.

/** A field that the hub does not have: missing, null or false. */
export const unsupported = z
  .union([z.null(), z.literal(false)], { error: "is not supported" })
  .optional();

export const temperature = z.number().min(0).max(2).nullish();
export const topP = z.number().min(0).max(1).nullish();
export const maxTokens = z.int().min(1).nullish();
export const stream = z.boolean().nullish();
export const metadata = z
  .looseObject({ session_token: roomName.session_token.nullish() })
  .nullish();

/** Efforts that cost like deep think. */
export const isDeepThink = (effort: string | null | undefined): boolean =>
  effort === "high" || effort === "xhigh" || effort === "max";

const jsonSchema = z.record(z.string(), z.unknown());

/** The name of a tool, also where a call chooses one: no other text may be sent in its place. */
export const toolName = z
  .string()
  .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _");

/** A tool of an app, in the terms of the model port. */
export const functionTool = z.object({
  name: toolName,
  description: z.string().nullish(),
  parameters: jsonSchema.nullish(),
  strict: z.boolean().nullish(),
});

/** JSON by a schema, as `response_format` or `text.format` asks for it. */
export const schemaFormat = z.object({
  name: z.string().max(64).nullish(),
  description: z.string().nullish(),
  schema: jsonSchema.nullish(),
});

const NO_PARAMETERS = { type: "object", properties: {} };

export const toModelTool = (tool: z.output<typeof functionTool>): ModelTool => ({
  name: tool.name,
  parameters: tool.parameters ?? NO_PARAMETERS,
  ...(tool.description ? { description: tool.description } : {}),
  ...(tool.strict == null ? {} : { strict: tool.strict }),
});

export const toJsonFormat = ({ name, description, schema }: z.output<typeof schemaFormat>) => ({
  ...(name ? { name } : {}),
  ...(description ? { description } : {}),
  ...(schema ? { schema } : {}),
});

const MAX_TOOLS = 128;
const MAX_TOOLS_BYTES = 256 * 1024;

/** @throws HubError `invalid_input` */
export function assertFewTools(tools: readonly ModelTool[]): void {
  if (tools.length > MAX_TOOLS) throw refused("tools", `must hold at most ${MAX_TOOLS} tools`);
  if (Buffer.byteLength(JSON.stringify(tools)) > MAX_TOOLS_BYTES) {
    throw refused("tools", `must have at most ${MAX_TOOLS_BYTES} bytes`);
  }
}

/**
 * Returns the room that a call names in its metadata or in `X-Soul-Hub-Session`; null for a
 * stateless call.
 * @throws HubError `invalid_input` for a malformed token
 */
export function sessionTokenOf(
  given: z.output<typeof metadata>,
  header: string | string[] | undefined,
): string | null {
  const token = given?.session_token ?? header;
  if (token === undefined) return null;
  const parsed = roomName.session_token.safeParse(token);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HubError("invalid_input", {
    details: [{ field: "X-Soul-Hub-Session", message: issue?.message ?? "is invalid" }],
  });
}
