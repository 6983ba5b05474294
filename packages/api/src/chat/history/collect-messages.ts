interface Bounds<Message> {
  messages: number;
  /** Characters of JSON, in which a control character takes six. */
  chars: number;
  /** Messages per statement, which bounds the memory of one read. */
  pageSize: number;
  /** The number of messages that are read at most, with those that are left out. */
  readAtMost?: number;
  /** Selects the messages to collect. By default all are. */
  isWanted?: (message: Message) => boolean;
}

/**
 * Collects the newest messages of a room page by page, within bounds (0042).
 * @param read reads the newest messages before an id, if given, oldest first
 * @returns the messages, oldest first; `is_complete` is false if older ones were left out
 */
export async function collectNewest<Message extends { id: number; content: string }>(
  read: (limit: number, beforeId?: number) => Promise<Message[]>,
  bounds: Bounds<Message>,
): Promise<{ messages: Message[]; is_complete: boolean }> {
  const { pageSize, readAtMost = Number.POSITIVE_INFINITY, isWanted = () => true } = bounds;
  const newestFirst: Message[] = [];
  const end = (is_complete: boolean) => ({ messages: newestFirst.reverse(), is_complete });
  let chars = 0;
  for (let readCount = 0, before: number | undefined; ; ) {
    const page = await read(pageSize, before);
    for (const message of page.toReversed().filter(isWanted)) {
      chars += JSON.stringify(message.content).length;
      if (newestFirst.length === bounds.messages || chars > bounds.chars) return end(false);
      newestFirst.push(message);
    }
    before = page[0]?.id;
    readCount += page.length;
    if (page.length < pageSize) return end(true);
    if (readCount >= readAtMost) return end(false);
  }
}
