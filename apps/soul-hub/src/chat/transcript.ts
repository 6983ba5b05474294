import { asOneLine } from "../terminal/foreign-text.ts";
import { bold, dim, red } from "../terminal/terminal.ts";
import type { PromptLine } from "./prompt-line.ts";
import type { RoomChange } from "./room-changes.ts";

/** How many earlier messages a terminal shows at first. */
const SHOWN_HISTORY = 10;

interface Reply {
  soul: string;
  text: string;
  question: string;
}

/**
 * Writes what happens in a room for people. One reply at a time is written while it streams; the
 * others follow when they are whole.
 */
export class Transcript {
  readonly #screen: PromptLine;
  readonly #replies = new Map<string, Reply>();
  /** The reply that is being written. */
  #current: string | undefined;
  /** Questions already printed. The transcript removes each when its stored message arrives. */
  #shown: string[] = [];
  #you = "";

  constructor(screen: PromptLine) {
    this.#screen = screen;
  }

  /** Notes a question that the person has typed here. The terminal has echoed it. */
  addOwn(you: string, content: string): void {
    this.#shown.push(lineKey(you, content));
  }

  /** Forgets a question that the hub has refused. */
  dropOwn(you: string, content: string): void {
    this.#takeShown(lineKey(you, content));
  }

  show(change: RoomChange): void {
    switch (change.type) {
      case "connection":
        if (change.connection === "reconnecting") {
          this.#note("The connection is lost. Reconnecting.");
        }
        break;
      case "history":
        this.#you = change.you;
        this.#endCurrent();
        for (const message of change.messages.slice(-SHOWN_HISTORY)) {
          this.#print(message.sender_name, message.content);
        }
        break;
      case "presence":
        for (const name of change.joined) {
          if (name !== this.#you) this.#note(`${name} is here.`);
        }
        for (const name of change.left) this.#note(`${name} has left.`);
        break;
      case "typing":
        this.#screen.setTyping(change.names);
        break;
      case "asked":
        this.#asked(change);
        break;
      case "delta":
        this.#delta(change.reply_id, change.text);
        break;
      case "message":
        this.#message(change);
        break;
      case "ended":
        this.#end(change.reply_id);
        break;
      case "failed":
        this.#screen.note(red(`The reply ended early (${change.error}).`));
    }
  }

  #asked({ reply_id, sender_name, content, soul }: Extract<RoomChange, { type: "asked" }>): void {
    const question = lineKey(sender_name, content);
    this.#replies.set(reply_id, { soul, text: "", question });
    // Each soul that answers a question reports it. The question is printed once.
    if (content === "" || this.#shown.includes(question)) return;
    this.#shown.push(question);
    this.#print(sender_name, content);
  }

  #delta(replyId: string, text: string): void {
    const reply = this.#replies.get(replyId);
    if (!reply) return;
    reply.text += text;
    if (this.#current === undefined) {
      this.#current = replyId;
      this.#screen.begin(nameOf(reply.soul));
      this.#screen.write(reply.text);
    } else if (this.#current === replyId) this.#screen.write(text);
  }

  #message({ message, reply_id }: Extract<RoomChange, { type: "message" }>): void {
    const { sender_name, content } = message;
    if (reply_id !== undefined && reply_id === this.#current) {
      const written = this.#replies.get(reply_id)?.text ?? "";
      this.#screen.write(content.slice(written.length));
      this.#end(reply_id);
      return;
    }
    if (reply_id !== undefined) this.#replies.delete(reply_id);
    if (message.role === "user" && this.#takeShown(lineKey(sender_name, content))) return;
    this.#print(sender_name, content);
  }

  #takeShown(question: string): boolean {
    const at = this.#shown.indexOf(question);
    if (at >= 0) this.#shown.splice(at, 1);
    return at >= 0;
  }

  #end(replyId: string): void {
    this.#replies.delete(replyId);
    if (this.#current === replyId) this.#endCurrent();
  }

  #endCurrent(): void {
    if (this.#current === undefined) return;
    this.#current = undefined;
    this.#screen.end();
  }

  #print(name: string, content: string): void {
    this.#screen.print([nameOf(name), content]);
  }

  #note(text: string): void {
    this.#screen.note(dim(text));
  }
}

const nameOf = (name: string) => bold(`${asOneLine(name)}: `);
const lineKey = (sender: string, content: string) => `${sender}\n${content}`;
