import { hash } from "node:crypto";
import type { Vault } from "../../vault.ts";

export interface RoomName {
  soul_id: number;
  session_token: string;
}

/**
 * Returns the key that identifies a room in tables and on the bus. The key contains a hash of
 * the session token, which does not reveal the token.
 */
export const roomKey = ({ soul_id, session_token }: RoomName): string =>
  `${soul_id}/${hash("sha256", session_token, "base64url")}`;

export function splitRoomKey(key: string): { soulId: number; tokenHash: string } {
  const cut = key.indexOf("/");
  return { soulId: Number(key.slice(0, cut)), tokenHash: key.slice(cut + 1) };
}

export const TOKEN_PURPOSE = "session-token";

/** Encrypts the session token for the table. my-chats returns it to the participants. */
export const sealSessionToken = (vault: Vault, { soul_id, session_token }: RoomName): string =>
  vault.seal(TOKEN_PURPOSE, String(soul_id), session_token);

export const openSessionToken = (vault: Vault, soulId: number, sealed: string): string =>
  vault.open(TOKEN_PURPOSE, String(soulId), sealed);
