import type { GivenTarget } from "../../../queries.ts";

/** Returns the target at an address of this hub: a soul, a room, a message or a profile. */
export function targetAt(address: string): GivenTarget | undefined {
  const url = URL.parse(address.trim(), location.origin);
  const [, section, name = "", session_token] = url?.pathname.split("/") ?? [];
  const soul_id = Number(name);
  if (section === "u") {
    const username = decoded(name);
    return username ? { kind: "person", username } : undefined;
  }
  if (!Number.isSafeInteger(soul_id) || soul_id < 1) return undefined;
  if (section === "soul") return { kind: "soul", soul_id };
  if (section !== "chat" || !session_token) return undefined;
  const message_id = Number(url?.searchParams.get("at"));
  return message_id > 0
    ? { kind: "message", soul_id, session_token, message_id }
    : { kind: "room", soul_id, session_token };
}

/** Decodes a part of a path; undefined for one that no browser has encoded, such as `50%`. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
