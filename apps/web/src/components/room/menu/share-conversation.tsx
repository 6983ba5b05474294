import { Button, NativeSelect, Switch } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fromNow } from "../../../clock.ts";
import { hub } from "../../../hub.ts";
import { invalidate, sharesOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { LinkRow } from "../link-row.tsx";
import type { ShownMessage } from "../messages/use-older-messages.ts";
import { useRoomContext } from "../room-context.ts";

/** Number of the newest messages that can be chosen as the end of a share. */
const CHOICES = 50;
const EXCERPT_CHARS = 40;

/** Creates, lists and revokes public links with which everyone reads the conversation. */
export function ShareConversation() {
  const { roomName, path, shareEnd } = useRoomContext();
  const { data: shares, error } = useQuery(sharesOf(roomName));
  const [end, setEnd] = useState(shareEnd === undefined ? "" : `${shareEnd}`);
  const [names, setNames] = useState(false);
  const create = useMutation({
    mutationFn: () =>
      hub.shares.create.mutate({ ...roomName, names, to_id: end ? Number(end) : undefined }),
    onSuccess: () => invalidate(sharesOf(roomName).queryKey),
  });
  // Only messages that souls may read can be shared.
  const open = path.shown.filter(({ removed, audience }) => !removed && audience !== "people");
  const choices = open.filter(({ id }, at) => at >= open.length - CHOICES || id === shareEnd);
  return (
    <div className="stack stack--wide room-dialog">
      <p className="muted">
        Anyone with such a link reads the conversation, and can continue in a copy. Nobody can write
        here with it, and it does not lead into this room. Edits and removals show in it at once;
        later messages don't.
      </p>
      <section className="stack" aria-label="New link">
        <NativeSelect
          label="Share up to"
          value={end}
          data={[
            { value: "", label: "The newest message" },
            ...choices
              .toReversed()
              .map((line) => ({ value: `${line.id}`, label: excerptOf(line) })),
          ]}
          onChange={({ currentTarget }) => setEnd(currentTarget.value)}
        />
        <Switch
          label="Show people's names"
          description="Otherwise they are “Person 1”, “Person 2” and so on. Names in the texts stay."
          checked={names}
          onChange={({ currentTarget }) => setNames(currentTarget.checked)}
        />
        <div>
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            Create a read-only link
          </Button>
        </div>
        {create.isError && <FailureNote failure={failureOfAction(create.error)} />}
      </section>
      <FailureNote error={error} />
      {shares && shares.length > 0 && (
        <section className="stack stack--close">
          <h2>Links</h2>
          <ul className="divided">
            {shares.toReversed().map(({ share_id, to_id, url, names, created_at }) => {
              const last = path.tree.messages.get(to_id);
              const upTo = last ? excerptOf(last) : "an earlier message";
              const whose = names ? "With names" : "Without names";
              return (
                <LinkRow
                  key={share_id}
                  url={url}
                  about={
                    <p className="muted">
                      Up to <bdi>{upTo}</bdi>
                    </p>
                  }
                  facts={`${whose} · created ${fromNow(created_at)}`}
                  end={{
                    verb: "Revoke",
                    body: "Nobody can read the conversation with it any more. Copies stay.",
                    c: "var(--bad-text)",
                    "aria-label": `Revoke the link up to ${upTo}`,
                    run: () => hub.shares.remove.mutate({ share_id }),
                  }}
                  onEnded={() => invalidate(sharesOf(roomName).queryKey)}
                />
              );
            })}
          </ul>
        </section>
      )}
    </div>
  );
}

function excerptOf({ sender_name, content }: ShownMessage): string {
  const line = content.replace(/\s+/g, " ").trim();
  const characters = [...line];
  const excerpt = characters.slice(0, EXCERPT_CHARS).join("");
  return `${sender_name}: ${excerpt}${characters.length > EXCERPT_CHARS ? "…" : ""}`;
}
