import { z } from "zod";
import { field, id, isLongerThan, message } from "../../fields.schema.ts";
import { countAsSearch } from "../../trpc/call-cost.ts";
import { keyHolder, passHolderAccount, reader, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { roomName } from "../chat.schema.ts";
import { exportRoom } from "./export-room.service.ts";
import { searchChats } from "./search-chats.service.ts";
import { seeRoom } from "./see-room.service.ts";

const MAX_QUERY_CHARS = 100;
/** Two characters, or one ideograph or kana, which may be a whole word. */
const LONG_ENOUGH = /\S[\s\S]*\S|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]/u;

const searchText = z
  .string()
  .trim()
  .refine(
    (text) => LONG_ENOUGH.test(text),
    "must have at least 2 characters, or one of Chinese or Japanese",
  )
  .refine(
    (text) => !isLongerThan(MAX_QUERY_CHARS, text),
    `must have at most ${MAX_QUERY_CHARS} characters`,
  )
  .meta({
    minLength: 1,
    maxLength: MAX_QUERY_CHARS,
    pattern: LONG_ENOUGH.source,
  });

/** The endpoints that search and export conversations (0042). */
export const readingRouter = router({
  search: passHolderAccount("chat")
    .meta({
      rest: "GET /chat-search",
      summary: "Search your conversations",
      description:
        "Finds messages of the sessions of my-chats that contain a text, newest first. Case does not count, nor do compatibility forms such as full-width letters. A search reads the newest 20,000 messages of these sessions. `is_complete` is false if there may be more matches. A search counts as 10 reads.",
    })
    .input(
      z.object({
        q: field(searchText, "tabs"),
        limit: field(z.int().min(1).max(50).default(20), 20),
      }),
    )
    .output(
      z.object({
        data: z.object({
          results: z.array(
            z.object({
              ...roomName,
              title: field(z.string(), "Tabs or spaces", "The title of the session."),
              id: field(id, 411, "Id of the message."),
              sender_name: field(z.string(), "ada"),
              excerpt: field(z.string(), "What do you think of tabs?"),
            }),
          ),
          is_complete: field(z.boolean(), true),
        }),
      }),
    )
    .query(async ({ ctx, input }) => {
      await countAsSearch(ctx);
      return { data: await searchChats(ctx, input) };
    }),

  export: reader("chat")
    .meta({
      rest: "GET /chat-export",
      rateRule: "export",
      summary: "Export a conversation as a text",
      description:
        "`md` holds the session's path, `json` all messages with all of their fields. An export holds the newest 10,000 messages, or 16 million characters of JSON; `is_complete` is false if older ones were left out. A key needs a pass, unless you started the session. At most 10 exports an hour.",
      failures: ["pass_required", "pass_expired", ...roomFailures],
    })
    .input(z.object({ ...roomName, format: field(z.enum(["md", "json"]), "md") }))
    .output(
      z.object({
        data: z.object({
          filename: field(z.string(), "conversation-tabs-or-spaces.md"),
          text: field(z.string(), "# Tabs or spaces\n\n**ada**\n\n> What do you think of tabs?\n"),
          is_complete: field(z.boolean(), true),
        }),
      }),
    )
    .query(async ({ ctx, input }) => ({ data: await exportRoom(ctx, input) })),
});

/** The endpoint that records the last message of a room that the caller has seen (0042). */
export const seenRouter = router({
  seen: keyHolder("chat")
    .meta({
      rest: "PUT /seen",
      summary: "Mark a session as seen up to a message",
      description:
        "Later messages of others count as unread in my-chats. The mark never goes back. Your own messages mark what is before them as seen.",
      failures: [...roomFailures, "message_not_found"],
    })
    .input(z.object({ ...roomName, id: field(id, 411, "Id of the newest message that you saw.") }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => seeRoom(ctx, input)),
});
