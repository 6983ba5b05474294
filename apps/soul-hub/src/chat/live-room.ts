import type { RoomState } from "@soul-hub/client";
import { failureOf } from "../hub/hub.ts";
import type { Report } from "../hub/session.ts";
import { dim, red } from "../terminal/terminal.ts";
import { PromptLine } from "./prompt-line.ts";
import type { RoomChange } from "./room-changes.ts";
import { cancelReplies, enter, isFree, type Visit } from "./room-visit.ts";
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
  /** Lines that wait for the reply to the line before, oldest first. */
  const waiting: string[] = [];
  let isAsking = false;

  const prompt = new PromptLine(terminal, {
    onLine(text) {
      waiting.push(text);
      if (isAsking || !isFree(room.state())) prompt.note(dim(WAITS));
      void askWaiting().catch(ignored);
    },
    takeBack: () => waiting.pop(),
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

  /** Asks one line after the other. The reply to one ends before the next one is sent. */
  async function askWaiting(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      while (waiting.length > 0) {
        await room.until(isFree, left);
        const next = waiting.shift();
        if (next !== undefined) await send(next);
      }
    } finally {
      isAsking = false;
    }
  }

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
    for (const text of waiting) terminal.note(red(`Not sent: ${text}`));
  }
  return { exitCode: prompt.exitCode };
}

const WAITS = "This line waits for the reply. Ctrl-C takes it back.";

/** A room that closes meanwhile ends the visit. */
const ignored = () => {};

const isLive = ({ connection }: RoomState): boolean => connection === "live";
