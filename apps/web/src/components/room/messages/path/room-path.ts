import type { ShownMessage } from "../use-older-messages.ts";

/** The loaded part of a room's log as a tree. It contains every message since its first one. */
export interface RoomTree {
  readonly messages: ReadonlyMap<number, ShownMessage>;
  /** The parent of each message, also one that is not loaded; 0 at the beginning of a tree. */
  readonly parents: ReadonlyMap<number, number>;
  /** The messages that continue a message, oldest first; by 0, those that begin a tree. */
  readonly children: ReadonlyMap<number, readonly number[]>;
}

/** No message has this id. */
const UNKNOWN = -1;

/** @param lines a part of the log without gaps, oldest first */
export function treeOf(lines: readonly ShownMessage[]): RoomTree {
  const messages = new Map<number, ShownMessage>();
  const parents = new Map<number, number>();
  const children = new Map<number, number[]>();
  let before = UNKNOWN;
  for (const line of lines) {
    // A hub of the first release sends no `parent_id`: each message continues the one before.
    const parent = line.parent_id === undefined ? before : (line.parent_id ?? 0);
    messages.set(line.id, line);
    parents.set(line.id, parent);
    const siblings = children.get(parent);
    if (siblings) siblings.push(line.id);
    else children.set(parent, [line.id]);
    before = line.id;
  }
  return { messages, parents, children };
}

/** The messages from the beginning of a tree, or the first loaded one, to a leaf. */
export function pathTo({ messages, parents }: RoomTree, leaf: number): readonly ShownMessage[] {
  const path: ShownMessage[] = [];
  for (let line = messages.get(leaf); line; line = messages.get(parents.get(line.id) ?? UNKNOWN)) {
    path.push(line);
  }
  return path.reverse();
}

/** True if the path's beginning is loaded. An empty path has none. */
export const isWhole = ({ parents }: RoomTree, [first]: readonly ShownMessage[]): boolean =>
  first !== undefined && parents.get(first.id) === 0;

/**
 * The messages that continue the same message as the given one does, if there are several. Without
 * the parent, some of its continuations may be missing, so none is returned.
 * @param hasAll whether the whole log is loaded; otherwise another tree may have begun before
 */
export function siblingsOf(
  { messages, parents, children }: RoomTree,
  id: number,
  hasAll: boolean,
): readonly number[] | undefined {
  const parent = parents.get(id) ?? UNKNOWN;
  const isKnown = parent === 0 ? hasAll : messages.has(parent);
  const siblings = isKnown ? children.get(parent) : undefined;
  return siblings && siblings.length > 1 ? siblings : undefined;
}

/**
 * The question that a reply answers, or a question itself. Replies of other souls and messages off
 * the record may lie between. A message off the record has no question.
 */
export function questionOf({ messages, parents }: RoomTree, id: number): ShownMessage | undefined {
  let line = messages.get(id);
  if (line?.audience === "people") return undefined;
  while (line && (line.role === "assistant" || line.audience === "people")) {
    line = messages.get(parents.get(line.id) ?? UNKNOWN);
  }
  return line;
}

/**
 * The newest question on a path, unless another person has written after it: that ends the right of
 * its sender to ask it again (0041).
 */
export function lastQuestionOf(path: readonly ShownMessage[]): ShownMessage | undefined {
  const at = path.findLastIndex(({ role, audience }) => role === "user" && audience !== "people");
  const question = path[at];
  const isOthers = ({ role, sender_name }: ShownMessage) =>
    role === "user" && sender_name !== question?.sender_name;
  return path.slice(at + 1).some(isOthers) ? undefined : question;
}

/** The end of the newest conversation below a message: its newest continuation, and so on. */
export const newestLeaf = (tree: RoomTree, id: number): number => leafBelow(tree, id, -1);

/**
 * The end of the first conversation below a message. It stays in its branch: a branch that appears
 * later is not the first one.
 */
export const firstLeaf = (tree: RoomTree, id: number): number => leafBelow(tree, id, 0);

function leafBelow({ children }: RoomTree, id: number, at: 0 | -1): number {
  let leaf = id;
  for (let next: number | undefined = id; next !== undefined; next = children.get(leaf)?.at(at)) {
    leaf = next;
  }
  return leaf;
}
