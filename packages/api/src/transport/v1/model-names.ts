import { modelNameOf } from "@soul-hub/soul-names";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { visibleSoul } from "../../souls/soul-access.ts";

/** The ending of a model's name by which an app asks for its owner's provider key. */
const OWN = ":own";

interface NamedSoul {
  id: number;
  title: string;
  description: string;
  username: string;
  created_at: string;
}

/** A soul as a model of `/v1`. */
export const toModel = (soul: NamedSoul) => ({
  id: modelNameOf(soul),
  object: "model" as const,
  created: Date.parse(`${soul.created_at.replace(" ", "T")}Z`) / 1_000,
  owned_by: soul.username,
  name: soul.title,
  description: soul.description,
});

interface ModelName {
  soulId: number;
  /** The owner in the name; null in `soul-7`. */
  owner: string | null;
  ownProvider: boolean;
}

/**
 * Parses a model's name, `ada/keeper-of-the-light-7` or `soul-7`. Owner and number decide; the words
 * between them may be outdated. `@` is reserved for versions.
 * @returns null for a name of another form
 */
export function parseModelName(name: string): ModelName | null {
  const ownProvider = name.endsWith(OWN);
  const plain = ownProvider ? name.slice(0, -OWN.length) : name;
  const [, owner, number] = /^(?:([\w-]{1,32})\/(?:[^/@]*-)?|soul-)(\d{1,16})$/.exec(plain) ?? [];
  const soulId = Number(number);
  if (!Number.isSafeInteger(soulId) || soulId < 1) return null;
  return { soulId, owner: owner ?? null, ownProvider };
}

/**
 * Finds the soul that a model's name means.
 * @throws HubError `soul_not_found`, also for another owner's name; `scope_missing`
 */
export async function findModel(ctx: CallContext, name: string) {
  const parsed = parseModelName(name);
  const notFound = () =>
    new HubError("soul_not_found", {
      message: `The model ${JSON.stringify(name.slice(0, 100))} does not exist. GET /v1/models lists models.`,
    });
  if (!parsed) throw notFound();
  const { soulId, owner, ownProvider } = parsed;
  const soul = await visibleSoul(ctx, soulId).catch((error: unknown) => {
    throw error instanceof HubError && error.code === "soul_not_found" ? notFound() : error;
  });
  if (owner !== null && owner.toLowerCase() !== soul.username.toLowerCase()) throw notFound();
  return { soul, ownProvider };
}
