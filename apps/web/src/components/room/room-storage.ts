import { GUEST_IS_KEPT, readItem, readObject, writeItem } from "../../stored-item.ts";

/**
 * What a message asks for. `question`: the addressed souls reply. `remark`: no soul replies, and the
 * souls read it with the next question. `off-record`: only the people of the room ever read it.
 */
export type MessageKind = "question" | "remark" | "off-record";

/** A message that this browser has sent and the room doesn't contain, without its image. */
export interface StoredMessage {
  key: number;
  content: string;
  /** Whether the message was sent with an image. Images are too large to store. */
  hasImage: boolean;
  isPrivate: boolean;
  /** Undefined for a question that an earlier release of the page has stored. */
  kind?: MessageKind | undefined;
  deepThink: boolean;
  /** The message to continue, 0 to begin another tree; undefined for the end of the room's path. */
  parentId?: number | undefined;
  /** Id of the newest message that the room contained when the stored message was sent. */
  sentAfter: number;
  /** Error code of the hub's refusal; undefined while the hub has not responded. */
  code: string | undefined;
}

interface StoredRoom {
  draft: string;
  /** The kind of the draft, also of an empty one. */
  kind: MessageKind;
  unsent: readonly StoredMessage[];
}

const empty: StoredRoom = { draft: "", kind: "question", unsent: [] };

/**
 * The draft and the unsent messages of one room, in this browser's localStorage. The key contains
 * the account, because another person may sign in to the same browser. When a member who keeps what
 * the guest has left opens the room, the guest's draft and messages move to the member's account.
 */
export class RoomStorage {
  readonly #key: string;

  /** @param username undefined for a guest */
  constructor(username: string | undefined, soulId: number, sessionToken: string) {
    const owner = username === undefined ? "guest" : `member/${username}`;
    this.#key = `soulhub-room/${owner}/${soulId}/${sessionToken}`;
    if (username !== undefined && readItem(GUEST_IS_KEPT))
      this.#adopt(new RoomStorage(undefined, soulId, sessionToken));
  }

  /** Reads localStorage on each call, because another tab may have changed it. */
  read(): StoredRoom {
    return { ...empty, ...readObject<Partial<StoredRoom>>(this.#key) };
  }

  /**
   * Calls back with the keys of the messages of a code that another tab has sent or taken away.
   * @returns a function that ends the calls
   */
  onGone(code: string, callback: (keys: readonly number[]) => void): () => void {
    const listen = ({ key, oldValue }: StorageEvent) => {
      if (key !== this.#key || oldValue === null) return;
      const { unsent }: StoredRoom = JSON.parse(oldValue);
      const kept = this.read().unsent.filter((message) => message.code === code);
      const isGone = (one: StoredMessage) =>
        one.code === code && !kept.some((message) => message.key === one.key);
      callback(unsent.filter(isGone).map((message) => message.key));
    };
    addEventListener("storage", listen);
    return () => removeEventListener("storage", listen);
  }

  setDraft(draft: string, kind: MessageKind): void {
    this.#write({ ...this.read(), draft, kind });
  }

  putUnsent(message: StoredMessage): void {
    const room = this.read();
    const others = room.unsent.filter(({ key }) => key !== message.key);
    this.#write({ ...room, unsent: [...others, message] });
  }

  removeUnsent(key: number): void {
    const room = this.read();
    this.#write({ ...room, unsent: room.unsent.filter((message) => message.key !== key) });
  }

  /** Removes everything, after the conversation was deleted. */
  clear(): void {
    this.#write(empty);
  }

  #adopt(guest: RoomStorage): void {
    const given = guest.read();
    if (isEmpty(given)) return;
    const own = this.read();
    const { draft, kind } = own.draft === "" ? given : own;
    this.#write({ draft, kind, unsent: [...own.unsent, ...given.unsent] });
    guest.#write(empty);
  }

  #write(room: StoredRoom): void {
    // With disabled or full storage, draft and messages last until the page is closed.
    writeItem(this.#key, isEmpty(room) ? undefined : JSON.stringify(room));
  }
}

const isEmpty = ({ draft, kind, unsent }: StoredRoom): boolean =>
  draft === "" && kind === "question" && unsent.length === 0;
