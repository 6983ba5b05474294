import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { promptNameOf } from "@soul-hub/soul-names";
import type { CallContext } from "../../context.ts";
import { miniApps } from "../../mini-apps/catalogue.ts";
import { readShelf } from "../../social/shelf.service.ts";
import { assertWellFormed } from "../../trpc/well-formed.ts";
import type { Procedures } from "./mcp-call.ts";
import { invalidArgument } from "./protocol-errors.ts";
import { exportedText } from "./tools/soul-tools.ts";

const APP = /^app-([a-z0-9-]{1,60})$/;
const SOUL = /(?:^|-)(\d{1,15})$/;
type Arguments = Readonly<Record<string, string>>;
type MiniApp = NonNullable<ReturnType<typeof miniApps.get>>;

/** Lists the souls of the caller's shelf and the mini apps as prompts. */
export async function listPrompts(ctx: CallContext): Promise<Prompt[]> {
  const souls = (await readShelf(ctx)).map(({ id, title, description }) => ({
    name: promptNameOf({ id, title }),
    title,
    // Clients expect a description of a prompt.
    description: description || title,
    arguments: [{ name: "message", description: "What to say to the soul.", required: false }],
  }));
  const apps = [...miniApps.values()].map(({ entry: { slug, title, description }, fields }) => ({
    name: `app-${slug}`,
    title,
    description,
    arguments: [
      ...fields.map(({ name, label, required }) => ({ name, description: label, required })),
      { name: "soul_id", description: "The number of the soul that is asked.", required: false },
    ],
  }));
  return [...souls, ...apps];
}

/**
 * Returns a soul's text, or the message of a mini app, as the beginning of a conversation. A soul
 * need not be on the shelf.
 * @throws ProtocolError `-32602`, which names the wrong argument
 */
export async function getPrompt(
  procedures: Procedures,
  name: string,
  given: Arguments,
): Promise<GetPromptResult> {
  const app = appOf(name);
  if (app) return appPrompt(procedures, app, given);
  const [, number] = SOUL.exec(name) ?? [];
  if (number === undefined) throw invalidArgument("name", "is that of no prompt");
  const unknown = Object.keys(given).find((key) => key !== "message");
  if (unknown !== undefined) throw invalidArgument(unknown, "is no argument of this prompt");
  assertWellFormed(given);
  const { text } = await exportedText(procedures, { id: Number(number) });
  const said = given.message?.trim() ? [given.message] : [];
  return { messages: [text, ...said].map(fromUser) };
}

/** The mini app of a prompt. The name of a soul may begin with `app-`, too. */
const appOf = (name: string): MiniApp | undefined => miniApps.get(APP.exec(name)?.[1] ?? "");

async function appPrompt(
  procedures: Procedures,
  { entry: { slug, title } }: MiniApp,
  { soul_id, ...fields }: Arguments,
): Promise<GetPromptResult> {
  if (soul_id !== undefined && !/^\d{1,15}$/.test(soul_id)) {
    throw invalidArgument("soul_id", "must be the number of a soul");
  }
  const { data } = await procedures.apps.list({ slug });
  const [first] = "souls" in data ? data.souls : [];
  const soul = soul_id === undefined ? first?.id : Number(soul_id);
  if (soul === undefined) throw invalidArgument("soul_id", "is needed: no soul matches this app");
  const { content } = await procedures.apps.submit({ slug, soul_id: soul, fields });
  const { text } = await exportedText(procedures, { id: soul });
  return { description: title, messages: [text, content].map(fromUser) };
}

const fromUser = (text: string) => ({
  role: "user" as const,
  content: { type: "text" as const, text },
});

/** Suggests values of a prompt's argument: the options of a select field, or souls by title. */
export async function completeArgument(
  ctx: CallContext,
  name: string,
  { name: argument, value }: { name: string; value: string },
): Promise<string[]> {
  if (argument === "soul_id") return soulNumbers(ctx, value);
  const field = appOf(name)?.fields.find((one) => one.name === argument);
  if (field?.type !== "select") return [];
  return field.options.filter((option) => startsWith(option, value));
}

/** Returns the numbers of shelf souls whose title or number begins with a text. */
export async function soulNumbers(ctx: CallContext, text: string): Promise<string[]> {
  const souls = await readShelf(ctx);
  return souls
    .filter(({ id, title }) => startsWith(title, text) || String(id).startsWith(text))
    .map(({ id }) => String(id));
}

const startsWith = (text: string, start: string): boolean =>
  text.toLowerCase().startsWith(start.trim().toLowerCase());
