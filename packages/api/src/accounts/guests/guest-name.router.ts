import { z } from "zod";
import { field, isLongerThan, message } from "../../fields.schema.ts";
import { open, router } from "../../trpc/trpc.ts";
import { setGuestName } from "./guest-name.service.ts";

const MAX_NAME_CHARS = 24;

/**
 * Letters, each with up to two marks, digits and any of `.`, `_` and `-`, with single spaces between.
 * An apostrophe is allowed between letters. A joiner (U+200C, U+200D) is allowed between letters that
 * are not Latin. Beside Latin letters a joiner is invisible, and the name could pass for a username.
 * Other characters without a shape are letters or marks to Unicode, such as U+3164 and U+16FE4. They
 * could make two names that look equal, or an empty one.
 */
const SIGN = [
  String.raw`\p{L}\p{M}{0,2}|\p{Nd}|[._\-]`,
  String.raw`(?<=[\p{L}\p{M}])['\u2019](?=\p{L})`,
  String.raw`(?<=[[\p{L}\p{M}]--\p{scx=Latn}])[\u200c\u200d](?=[\p{L}--\p{scx=Latn}])`,
].join("|");
const SHAPELESS = String.raw`[[\p{Default_Ignorable_Code_Point}\u{16fe4}]--[\u200c\u200d]]`;
const NAME = new RegExp(`^(?!.*${SHAPELESS})(?:${SIGN})+(?: (?:${SIGN})+)*$`, "v");

const guestName = z
  .string()
  // Compatibility forms of ASCII letters would pass for a username.
  .normalize("NFKC")
  .trim()
  // No regex: OpenAPI would show its pattern, which JSON Schema's tools compile without the flag `u`.
  .refine(
    (text) => NAME.test(text),
    "must be letters, digits, single spaces, any of . _ - or an apostrophe within a word",
  )
  .refine(
    (text) => !isLongerThan(MAX_NAME_CHARS, text),
    `must have at most ${MAX_NAME_CHARS} characters`,
  )
  .meta({ minLength: 1, maxLength: MAX_NAME_CHARS });

/** The endpoint with which a guest chooses a name (decisions §3, Guest). */
export const guestNameRouter = router({
  setGuestName: open("public")
    .meta({
      rest: "PUT /guest-name",
      summary: "Choose your name as a guest",
      description:
        "For callers without an account. The guest cookie holds the name. New messages and your presence show it as `<name> (guest)`; stored messages keep theirs. An open subscription shows it after the next join. null restores `Anonymous #` and 4 characters.",
      setsCookie: "`soulhub_guest`, with the name.",
      failures: ["username_taken"],
    })
    .input(
      z.object({
        name: field(
          guestName.nullable(),
          "Robin",
          "1 to 24 letters, digits, spaces, any of . _ -, or apostrophes within words; no account's username.",
        ),
      }),
    )
    .output(z.object({ message, name: field(z.string(), "Robin (guest)", "Your name in rooms.") }))
    .mutation(({ ctx, input }) => setGuestName(ctx, input.name)),
});
