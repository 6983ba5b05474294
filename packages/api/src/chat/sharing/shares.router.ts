import { z } from "zod";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { keyHolder, open, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { chatMessage, roomName, shareId } from "../chat.schema.ts";
import { readShare } from "./read-share.service.ts";
import { createShare, listShares, presentShare, removeShare } from "./shares.service.ts";

const url = field(z.string(), "https://hub.example.org/share/pX5mXoPdqVbE2m0t1n9r3w");
const lastShared = field(id, 412, "Id of the last shared message.");
const names = field(
  z.boolean(),
  false,
  'False: the participants are shown as "Person 1", "Person 2" and so on.',
);

const sharedMessage = chatMessage.pick({
  id: true,
  role: true,
  sender_name: true,
  content: true,
  created_at: true,
  made_by: true,
  edited_at: true,
  imported: true,
});

/** The endpoints of shared conversations (0042). */
export const sharesRouter = router({
  create: keyHolder("chat")
    .meta({
      rest: "POST /shares",
      writes: true,
      idempotent: true,
      replay: presentShare,
      summary: "Share a conversation by a link",
      description:
        "For the session's owner. Everyone with the link reads the session's path up to a message, as it is at that time: edits and removals apply at once. Messages off the record are left out. A session has at most 20 shares.",
      failures: [
        ...roomFailures,
        "not_owner",
        "message_not_found",
        "limit_reached",
        "share_not_found",
      ],
    })
    .input(
      z.object({
        ...roomName,
        to_id: field(id.optional(), 412, "The last shared message; by default the newest one."),
        names: names.default(false),
      }),
    )
    .output(z.object({ share_id: shareId, url }))
    .mutation(({ ctx, input }) => createShare(ctx, input)),

  list: keyHolder("chat")
    .meta({
      rest: "GET /shares",
      summary: "List the shares of your session",
      failures: [...roomFailures, "not_owner"],
    })
    .input(z.object(roomName))
    .output(
      z.object({
        data: z.array(
          z.object({ share_id: shareId, url, to_id: lastShared, names, created_at: utcTime }),
        ),
      }),
    )
    .query(async ({ ctx, input }) => ({ data: await listShares(ctx, input) })),

  remove: keyHolder("chat")
    .meta({
      rest: "DELETE /shares",
      summary: "Revoke a share",
      description: "For the session's owner. The link stops working at once.",
      failures: ["share_not_found", "not_owner"],
    })
    .input(z.object({ share_id: shareId }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => removeShare(ctx, input.share_id)),

  get: open("public")
    .meta({
      rest: "GET /share/{share_id}",
      shared: true,
      isUnlisted: true,
      summary: "Read a shared conversation",
      description:
        "Holds the newest 500 messages, or 2 million characters; `is_complete` is false if older ones were left out. A share is gone once it is revoked, or its soul is private, behind an NFT gate or deleted. No cache may show the response without asking again, and no search engine may list it.",
      failures: ["share_not_found"],
    })
    .input(z.object({ share_id: shareId }))
    .output(
      z.object({
        data: z.object({
          title: field(z.string(), "Tabs or spaces"),
          soul_id: id,
          soul_title: field(z.string(), "The Patient Reviewer"),
          messages: z.array(sharedMessage),
          is_complete: field(z.boolean(), true),
        }),
      }),
    )
    .query(async ({ ctx, input }) => ({ data: await readShare(ctx, input.share_id) })),
});
