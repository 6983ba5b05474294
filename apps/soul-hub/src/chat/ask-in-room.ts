import type { Report } from "../hub/session.ts";
import { INTERRUPTED } from "../interrupted.ts";
import type { RoomChange } from "./room-changes.ts";
import { cancelReplies, enter, isFree, type Visit } from "./room-visit.ts";

/** How long the room's own events may take after the answer of the call. */
const EVENTS_MS = 5_000;

/**
 * Asks one question in a room and writes the reply while it streams. Ctrl-C cancels it.
 * @throws Failure of the hub
 */
export async function askInRoom(visit: Visit, content: string): Promise<Report> {
  const { hub, session, name } = visit;
  const { terminal, isJson } = session;
  let own: string | undefined;
  let written = "";
  const write = (text: string) => {
    written += text;
    terminal.write(text);
  };
  const show = (change: RoomChange) => {
    if (isJson) return terminal.json(change);
    const isOwn = change.type === "asked" && change.sender_name === room.state().you?.name;
    if (isOwn && change.content === content) own ??= change.reply_id;
    if (change.type === "delta" && change.reply_id === own) write(change.text);
  };
  using room = enter(visit, show);
  const state = await room.until(({ connection }) => connection === "live");
  if (!isFree(state)) terminal.note("Waiting for the reply to your previous question.");
  await room.until(isFree);

  let isInterrupted = false;
  terminal.onInterrupt = () => {
    if (isInterrupted || !cancelReplies(visit, room.state())) process.exit(INTERRUPTED);
    isInterrupted = true;
  };
  try {
    const answer = await hub.client.chat.send.mutate({ ...name, content });
    if (isJson) await hasSeen(answer.message_id);
    else writeRest(answer);
    return { notes: answer.answered ? [] : ["No soul of this room replies without a mention."] };
  } catch (error) {
    if (written !== "") terminal.write("\n");
    if (isInterrupted) return { exitCode: INTERRUPTED };
    throw error;
  }

  /** Waits for the reply's stored message, which may arrive after the answer of the call. */
  async function hasSeen(messageId: number): Promise<void> {
    const isSeen = () => (room.state().messages.at(-1)?.id ?? 0) >= messageId;
    await room.until(isSeen, AbortSignal.timeout(EVENTS_MS)).catch(() => {});
  }

  function writeRest({ reply, replies }: { reply: string; replies?: { reply: string }[] }): void {
    const further = (replies ?? []).slice(1).map((each) => `\n\n${each.reply}`);
    const whole = reply + further.join("");
    // A stream that was interrupted is followed by the whole reply.
    write(whole.startsWith(written) ? whole.slice(written.length) : `\n${whole}`);
    own = undefined;
    if (written !== "") terminal.write("\n");
  }
}
