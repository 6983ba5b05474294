import type { RoomState } from "@soul-hub/client";
import { failureOf } from "../hub/hub.ts";
import type { Report } from "../hub/session.ts";
import { red } from "../terminal/terminal.ts";
import { PromptLine } from "./prompt-line.ts";
import type { RoomChange } from "./room-changes.ts";
import { cancelReplies, enter, type Visit } from "./room-visit.ts";
import { Transcript } from "./transcript.ts";

/** The hub drops typing events of one person that come faster (decisions §6). */
const TYPING_MS = 2_000;

/**
 * A live room at the terminal.
 * @returns when the person leaves
 * @throws Failure of a hub that closes the room
 */
export async function liveRoom(visit: Visit): Promise<Report> {
  const { hub, session, name } = visit;
  const { terminal, isJson } = session;
  let typedAt = Number.NEGATIVE_INFINITY;

  const prompt = new PromptLine(terminal, {
    // A room that closes meanwhile ends the visit.
    onLine: (text) => void send(text).catch(() => {}),
    onKey() {
      if (performance.now() - typedAt < TYPING_MS) return;
      typedAt = performance.now();
      // Nothing depends on it.
      hub.client.rooms.typing.mutate(name).catch(() => {});
    },
    cancel: () => cancelReplies(visit, room.state()),
  });
  const { left } = prompt;
  const transcript = new Transcript(prompt);
  const show = (change: RoomChange) => (isJson ? terminal.json(change) : transcript.show(change));
  using room = enter(visit, show);

  async function send(content: string): Promise<void> {
    const you = (await room.until(isLive, left)).you?.name ?? "";
    transcript.addOwn(you, content);
    try {
      await hub.client.chat.send.mutate({ ...name, content });
    } catch (error) {
      transcript.dropOwn(you, content);
      // The room has an event of its own for a reply that began and ended early.
      const { replies, failed } = room.state();
      if ([...replies, failed].some((reply) => reply?.content === content)) return;
      const failure = failureOf(error, hub.url);
      prompt.note(red(failure instanceof Error ? failure.message : String(failure)));
    }
  }

  try {
    await room.until(isLive, left);
    prompt.redraw();
    await room.until(() => false, left);
  } catch (error) {
    if (!left.aborted) throw error;
  } finally {
    prompt.close();
  }
  return { exitCode: prompt.exitCode };
}

const isLive = ({ connection }: RoomState): boolean => connection === "live";
