import { randomUUID } from "node:crypto";
import { Failure } from "@soul-hub/program";
import { onHub } from "../hub/session.ts";
import { readStdin } from "../terminal/prompt.ts";
import { askInRoom } from "./ask-in-room.ts";
import { liveRoom } from "./live-room.ts";
import { askOwnProvider, talkToOwnProvider } from "./own-provider.ts";

interface ChatOptions {
  room?: string | undefined;
  own?: true | undefined;
}

/**
 * Talks to a soul: in a live room, or with `--own` by the account's own provider without a room. A
 * piped text is one question.
 */
export const chat = (soul_id: number, { room, own }: ChatOptions) =>
  onHub(async (hub, session) => {
    if (own && room !== undefined) {
      throw new Failure("bad_arguments", "--own stores nothing, so it has no --room.");
    }
    const { terminal } = session;
    const question = terminal.stdin.isTTY ? null : (await readStdin(terminal)).trim();
    if (question === "") throw new Failure("bad_arguments", "The question on stdin is empty.");
    const { data: soul } = await hub.client.souls.read.query({ id: soul_id });
    if (own) {
      const talk = { hub, session, soul };
      return question === null ? talkToOwnProvider(talk) : askOwnProvider(talk, question);
    }
    const name = { soul_id, session_token: room ?? randomUUID() };
    if (room === undefined) {
      terminal.note(
        `To return to this room: soul-hub chat ${soul_id} --room ${name.session_token}`,
      );
    }
    const visit = { hub, session, name };
    return question === null ? liveRoom(visit) : askInRoom(visit, question);
  });
