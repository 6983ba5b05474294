/** A message that this browser has sent and the room doesn't contain, without its image. */
export interface StoredMessage {
  key: number;
  content: string;
  /** Whether the message was sent with an image. Images are too large to store. */
  hasImage: boolean;
  isPrivate: boolean;
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
  unsent: readonly StoredMessage[];
}

const empty: StoredRoom = { draft: "", unsent: [] };

/**
 * The draft and the unsent messages of one room, in this browser's localStorage. The key contains
 * the account, because another person may sign in to the same browser. When a member opens the
 * room, a guest's draft and messages move to the member's account.
 */
export class RoomStorage {
  readonly #key: string;

  /** @param username undefined for a guest */
  constructor(username: string | undefined, soulId: number, sessionToken: string) {
    const owner = username === undefined ? "guest" : `member/${username}`;
    this.#key = `soulhub-room/${owner}/${soulId}/${sessionToken}`;
    if (username !== undefined) this.#adopt(new RoomStorage(undefined, soulId, sessionToken));
  }

  /** Reads localStorage on each call, because another tab may have changed it. */
  read(): StoredRoom {
    try {
      return { ...empty, ...JSON.parse(localStorage.getItem(this.#key) ?? "{}") };
    } catch {
      // localStorage is disabled or its content is invalid: there is no draft and no unsent
      // message.
      return empty;
    }
  }

  setDraft(draft: string): void {
    this.#write({ ...this.read(), draft });
  }

  putUnsent(message: StoredMessage): void {
    const { draft, unsent } = this.read();
    const others = unsent.filter(({ key }) => key !== message.key);
    this.#write({ draft, unsent: [...others, message] });
  }

  removeUnsent(key: number): void {
    const { draft, unsent } = this.read();
    this.#write({ draft, unsent: unsent.filter((message) => message.key !== key) });
  }

  /** Removes everything, after the conversation was deleted. */
  clear(): void {
    this.#write(empty);
  }

  #adopt(guest: RoomStorage): void {
    const { draft, unsent } = guest.read();
    if (draft === "" && unsent.length === 0) return;
    const own = this.read();
    this.#write({ draft: own.draft || draft, unsent: [...own.unsent, ...unsent] });
    guest.#write(empty);
  }

  #write(room: StoredRoom): void {
    try {
      if (room.draft === "" && room.unsent.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify(room));
    } catch {
      // localStorage is disabled or full. Draft and messages last until the page is closed.
    }
  }
}
