import { invalidField } from "../../errors.ts";
import type { Vault } from "../../vault.ts";

/** A participant as a token names it. */
export interface NamedPerson {
  /** The participant's id. */
  id: string;
  name: string;
}

const PURPOSE = "room-person";

/**
 * Returns a token that names a participant to the room's owner. Labels of guests may be equal, and
 * the id of a participant is never sent to clients. The token is valid in this room only, and stays
 * the same as long as the participant's name does.
 */
export const sealPerson = (vault: Vault, roomKey: string, { id, name }: NamedPerson): string =>
  vault.sealStably(PURPOSE, roomKey, JSON.stringify([id, name]));

/** @throws HubError `invalid_input` for a token that this room did not get from the hub */
export function openPerson(vault: Vault, roomKey: string, token: string): NamedPerson {
  try {
    const [id, name] = JSON.parse(vault.open(PURPOSE, roomKey, token)) as [string, string];
    return { id, name };
  } catch (cause) {
    throw invalidField("person", "names no person of this room", cause);
  }
}
