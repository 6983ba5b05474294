import { randomBytes } from "node:crypto";
import type { Actor } from "../../../testing/actor.ts";
import type { Input } from "./documented.fixture.ts";

/** A secret text, which only its owner may receive and no log line may contain. */
export interface Canary {
  what: string;
  text: string;
  /** The actor that may receive the secret. Undefined if no response may contain it. */
  owner?: "owner";
  /** The ids of the operations whose purpose is to return the secret. */
  asked?: string[];
}

/** Part of every text that must not be logged: messages, session tokens, passwords. */
export const NEVER_LOGGED = "zq7c1dmark";

/** Returns a unique text. A search of log lines and responses for this text has no false hits. */
export const mark = (what: string): string => `${what}-${randomBytes(9).toString("hex")}`;

interface Secrets {
  canaries: Canary[];
  wouldSpoil(isOwner: boolean, operationId: string, input: Input): boolean;
  values: Record<string, () => unknown>;
}

async function must<T>(answer: Promise<{ body: T & { success: boolean; message?: string } }>) {
  const { body } = await answer;
  if (!body.success) throw new Error(`The world could not be made: ${body.message}`);
  return body;
}

/** Creates public souls of one account, and private souls, a room and snapshots of another. */
export async function plantSecrets(keeper: Actor, owner: Actor): Promise<Secrets> {
  const canaries: Canary[] = [];
  const secret = (what: string) => {
    const text = mark(what.replaceAll(" ", "-"));
    canaries.push({ what, text, owner: "owner" });
    return text;
  };
  const secretSoul = (of: string) => ({
    title: secret(`title of ${of}`),
    description: secret(`description of ${of}`),
    content: secret(`content of ${of}`),
    domain: secret(`domain of ${of}`),
    compatibility: secret(`compatibility of ${of}`),
    is_public: 0,
  });

  const plain = { title: "Public soul", content: "Helps with code reviews.", domain: "software" };
  const open = await must(keeper.post("/api/souls", plain));
  await must(keeper.put(`/api/soul/${open.id}`, { title: "Public soul, second edition" }));
  const lobby = { soul_id: open.id, session_token: "lobby" };
  await must(keeper.post("/api/chat", { ...lobby, content: "Good morning" }));

  const hidden = await must(owner.post("/api/souls", secretSoul("a private soul")));
  await must(owner.put(`/api/soul/${hidden.id}`, secretSoul("a private soul, later")));
  const opened = await must(owner.post("/api/souls", secretSoul("a soul while it was private")));
  const nowOpen = { description: "", compatibility: "any", is_public: 1 };
  await must(
    owner.put(`/api/soul/${opened.id}`, { ...plain, ...nowOpen, title: "No longer private" }),
  );
  // The soul is public, but its content is behind an NFT gate that no actor passes.
  const gatedText = (of: string) => ({ content: secret(`content of ${of}`) });
  const gate = { nft_contract: "nft.near", ...gatedText("a gated soul") };
  const gated = await must(owner.post("/api/souls", { ...plain, title: "Gated soul", ...gate }));
  await must(owner.put(`/api/soul/${gated.id}`, gatedText("a gated soul, later")));
  const gatedLobby = { ...lobby, soul_id: gated.id };
  await must(
    owner.post("/api/chat", { ...gatedLobby, content: secret("a message behind a gate") }),
  );
  const room = { soul_id: open.id, session_token: secret("token of a private room") };
  await must(
    owner.post("/api/chat", { ...room, is_private: true, content: secret("a private message") }),
  );
  await must(
    owner.post("/api/chat", { ...lobby, soul_id: hidden.id, content: secret("a message to it") }),
  );

  const versionOf = async (id: number) =>
    (await must(owner.get(`/api/versions?soul_id=${id}`))).data[0].id;
  const publicVersion = await versionOf(open.id);
  const secretVersion = await versionOf(opened.id);
  const gatedVersion = await versionOf(gated.id);
  return {
    canaries,
    wouldSpoil: (isOwner, operationId, input) => {
      const { path, body } = input;
      const { soul_id, session_token, new_session_token } = (body ?? {}) as Record<string, unknown>;
      const namesRoom = JSON.stringify(input).includes(room.session_token);
      // The fuzzer does not send these operations for souls that contain secrets. The owner could
      // publish or delete the secrets, and the search for leaks would be wrong.
      const changes = [
        "PUT /api/soul/{id}",
        "DELETE /api/soul/{id}",
        "POST /api/versions",
        "POST /api/fork",
      ];
      const named = [Number(path.id), Number(soul_id)];
      const isSecret = named.some((id) => [hidden.id, opened.id, gated.id].includes(id));
      // After the deletion of the private room, anyone may begin a room with its token.
      const isDeletion = operationId === "DELETE /api/room" && namesRoom;
      if (isOwner) return isDeletion || (isSecret && changes.includes(operationId));
      if (new_session_token === room.session_token) return true;
      // With another soul, the private room's session token names a different room, in which the
      // token is no secret.
      return session_token === room.session_token && soul_id !== room.soul_id;
    },
    values: {
      "public soul": () => open.id,
      "private soul": () => hidden.id,
      "opened soul": () => opened.id,
      "gated soul": () => gated.id,
      "public version": () => publicVersion,
      "private version": () => secretVersion,
      "gated version": () => gatedVersion,
      "private room": () => room.session_token,
    },
  };
}
