import type { RoomSettings } from "@soul-hub/api";
import { Fragment, memo } from "react";
import { useBlockedNames } from "../../blocks/use-blocked-names.ts";
import type { ChosenImage } from "../prepare-image.ts";
import { branchQuestion, type Reader } from "./actions/reader.ts";
import type { OpenMenu, ToolRequest } from "./actions/tools.ts";
import type { MessageActions, Refusal } from "./actions/use-message-actions.ts";
import { CopyMark, continues, DaySeparator, startsDay } from "./days.tsx";
import { FoldedMessage } from "./folded-message.tsx";
import { type RoomTree, siblingsOf } from "./path/room-path.ts";
import { ReplacingReplies } from "./pending-reply.tsx";
import { StoredMessage } from "./stored-message.tsx";
import { BrokenRegenerations } from "./unsent/broken-line.tsx";
import { UnsentLines } from "./unsent/unsent-lines.tsx";
import type { BrokenReply } from "./unsent/use-broken-replies.ts";
import type { ShownMessage } from "./use-older-messages.ts";
import { isUnread } from "./use-unread.ts";

interface LogProps {
  path: readonly ShownMessage[];
  tree: RoomTree;
  /** Whether the whole log is loaded. */
  hasAll: boolean;
  /** Ids of the messages in whose place replies in progress are shown. */
  replaced: readonly number[];
  /** The newest question on the room's path. */
  lastQuestion: ShownMessage | undefined;
  /** The room's own soul. */
  soulId: number;
  /** All souls of the room; undefined with a hub of the first release. */
  souls: RoomSettings["souls"] | undefined;
  /** The source of a room that is a copy. */
  copied: RoomSettings["copied"];
  reader: Reader;
  actions: MessageActions;
  onLook: (id: number) => void;
  refusal: Refusal | undefined;
  unreadAfter: number | undefined;
  /** Ids of the messages below which something unsent is shown. */
  unsentPlaces: readonly number[];
  broken: readonly BrokenReply[];
  images: ReadonlyMap<number, ChosenImage>;
  toolRequest: ToolRequest | undefined;
  onMenu: (menu: OpenMenu) => void;
}

/**
 * The list of stored messages. Memoized, because each piece of a streaming reply renders the page.
 */
export const Log = memo(function Log(props: LogProps) {
  const { path, tree, hasAll, replaced, lastQuestion, refusal, unreadAfter, ...others } = props;
  const { unsentPlaces, broken, images, toolRequest, soulId, souls, copied, ...same } = others;
  const firstUnread =
    unreadAfter === undefined
      ? undefined
      : path.find((line) => isUnread(line, unreadAfter, same.reader))?.id;
  const newVersions = findNewVersions(path);
  const blocked = useBlockedNames();
  return path.map((line, at) => {
    const before = path[at - 1];
    const isNewDay = startsDay(line, before);
    const { id, role, made_by } = line;
    const parent = tree.parents.get(id);
    const unsent = unsentPlaces.includes(id) && <UnsentLines place={id} />;
    if (replaced.includes(id)) {
      return (
        <Fragment key={parent}>
          <ReplacingReplies id={id} />
          {unsent}
        </Fragment>
      );
    }
    const newVersion = newVersions.get(id);
    return (
      // A parent has one child on the path. When a sibling takes a message's place, its buttons
      // keep the focus.
      <Fragment key={parent}>
        {isNewDay && <DaySeparator at={line.created_at} />}
        {id === firstUnread && (
          <p className="room__unread">
            <span>New since you were away</span>
          </p>
        )}
        {newVersion !== undefined && (
          <p className="room__version">
            <span>
              {souls && souls.length > 1 ? <bdi>{line.sender_name}</bdi> : "The soul"} answers as
              version {newVersion} from here
            </span>
          </p>
        )}
        <FoldedMessage id={id} isBlocked={role === "user" && blocked.has(line.sender_name)}>
          <StoredMessage
            line={line}
            soulId={made_by?.soul_id ?? soulId}
            siblings={siblingsOf(tree, id, hasAll)}
            question={branchQuestion(line, { tree, lastQuestion }, souls, same.reader)}
            isLast={at === path.length - 1}
            failure={
              role === "assistant" && refusal?.questionId === parent ? refusal?.failure : undefined
            }
            image={images.get(id)}
            isContinued={
              !isNewDay &&
              id !== firstUnread &&
              !unsentPlaces.includes(before?.id ?? 0) &&
              continues(line, before)
            }
            toolRequest={toolRequest?.id === id ? toolRequest : undefined}
            {...same}
          />
        </FoldedMessage>
        {role === "assistant" && broken.some(({ regenerates }) => regenerates === parent) && (
          <BrokenRegenerations question={parent} />
        )}
        {id === copied?.to_id && <CopyMark {...copied} />}
        {unsent}
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
