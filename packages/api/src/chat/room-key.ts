import { createHash } from "node:crypto";

export interface RoomName {
  soul_id: number;
  session_token: string;
}

/** What the tables and the bus call a room: nobody who reads them can open its door. */
export const roomKey = ({ soul_id, session_token }: RoomName): string =>
  `${soul_id}/${createHash("sha256").update(session_token).digest("base64url")}`;

export function splitRoomKey(key: string): { soulId: number; tokenHash: string } {
  const cut = key.indexOf("/");
  return { soulId: Number(key.slice(0, cut)), tokenHash: key.slice(cut + 1) };
}
