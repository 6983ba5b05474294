import { Fragment, memo } from "react";
import { mayBranchAt, type Reader } from "./actions/reader.ts";
import type { MessageActions, Refusal } from "./actions/use-message-actions.ts";
import { type RoomTree, siblingsOf } from "./path/room-path.ts";
import { ReplacingReplies } from "./pending-reply.tsx";
import { StoredMessage } from "./stored-message.tsx";
import type { ShownMessage } from "./use-older-messages.ts";

interface LogProps {
  path: readonly ShownMessage[];
  tree: RoomTree;
  /** Whether the whole log is loaded. */
  hasAll: boolean;
  /** Ids of the messages in whose place replies in progress are shown. */
  replaced: readonly number[];
  /** The newest question on the room's path. */
  lastQuestion: ShownMessage | undefined;
  soulId: number;
  reader: Reader;
  actions: MessageActions;
  onLook: (id: number) => void;
  refusal: Refusal | undefined;
  unreadAfter: number | undefined;
}

/**
 * The list of stored messages. Memoized, because each piece of a streaming reply renders the page.
 */
export const Log = memo(function Log(props: LogProps) {
  const { path, tree, hasAll, replaced, lastQuestion, refusal, unreadAfter, ...same } = props;
  const firstUnread =
    unreadAfter === undefined ? undefined : path.find(({ id }) => id > unreadAfter)?.id;
  const newVersions = findNewVersions(path);
  return path.map((line) => {
    const { id, role } = line;
    const parent = tree.parents.get(id);
    if (replaced.includes(id)) return <ReplacingReplies key={parent} id={id} />;
    const question = role === "user" ? line : tree.messages.get(parent ?? 0);
    const mayBranch =
      question?.role === "user" &&
      !question.removed &&
      mayBranchAt(question, same.reader, lastQuestion);
    const newVersion = newVersions.get(id);
    return (
      // A parent has one child on the path. When a sibling takes a message's place, its buttons
      // keep the focus.
      <Fragment key={parent}>
        {id === firstUnread && (
          <p className="room__unread">
            <span>New since you were away</span>
          </p>
        )}
        {newVersion !== undefined && (
          <p className="room__version">
            <span>The soul answers as version {newVersion} from here</span>
          </p>
        )}
        <StoredMessage
          line={line}
          siblings={siblingsOf(tree, id, hasAll)}
          question={mayBranch ? question : undefined}
          failure={
            role === "assistant" && refusal?.questionId === parent ? refusal?.failure : undefined
          }
          {...same}
        />
      </Fragment>
    );
  });
});

/** Finds the replies that another version made than the same soul's reply before them. */
function findNewVersions(path: readonly ShownMessage[]): ReadonlyMap<number, number> {
  const versions = new Map<number, number>();
  const found = new Map<number, number>();
  for (const { id, made_by } of path) {
    if (!made_by) continue;
    const { soul_id, version } = made_by;
    const before = versions.get(soul_id);
    if (before !== undefined && before !== version) found.set(id, version);
    versions.set(soul_id, version);
  }
  return found;
}
