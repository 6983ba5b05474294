import { Button } from "@mantine/core";
import type { RoomSoul } from "../../../queries.ts";
import { readSoulFiles } from "../../../soul-files.ts";
import { Sigil } from "../../ui/sigil.tsx";
import { useRoomContext } from "../room-context.ts";
import { MessageLine } from "./message-line.tsx";

const openers = ["Hello! Who are you?", "What can you help me with?", "Where should we begin?"];
const STARTERS_MAX = 6;
const STARTER_CHARS = 80;

/** Introduces the soul in an empty room, and suggests first messages. */
export function RoomGreeting() {
  const { soul, draft, write } = useRoomContext();
  const starters = startersOf(soul);
  // Another starter takes the place of the chosen one. The reader's own words stay.
  const kept = starters.includes(draft.text) ? "" : draft.text;
  const greeting = greetingOf(soul);
  return (
    <>
      <div className="stack blank-slate room-greeting">
        <Sigil id={soul.id} size={96} />
        <h2 dir="auto">{soul.title}</h2>
        {soul.description.trim() && <p dir="auto">{soul.description}</p>}
      </div>
      {greeting && (
        <MessageLine by="assistant" name={soul.title} text={greeting} soulId={soul.id} />
      )}
      <div className="row row--center room-greeting__starters">
        {starters.map((text) => (
          <Button
            key={text}
            variant="default"
            radius="xl"
            onClick={() => write(text, draft.kind, kept)}
          >
            <span dir="auto">{text}</span>
          </Button>
        ))}
      </div>
    </>
  );
}

const MACROS = /\{\{(?:char|user|original)\}\}|<(?:bot|user)>/gi;

/** The greeting of GREETING.md, with the macros of an imported card replaced for people. */
function greetingOf(soul: RoomSoul): string | undefined {
  const greeting = textOf(soul, "greeting.md")?.trim();
  if (!soul.has_package) return greeting;
  return greeting?.replaceAll(MACROS, (macro) => {
    if (/user/i.test(macro)) return "you";
    return /original/i.test(macro) ? "" : soul.title;
  });
}

/** The text of a file of a folder soul, by its name in lower case. */
const textOf = (soul: RoomSoul, wanted: string): string | undefined =>
  readSoulFiles(soul).find(({ name }) => name.toLowerCase() === wanted)?.text;

/** The conversation starters of STARTERS.md, one a line; without them, general ones. */
function startersOf(soul: RoomSoul): readonly string[] {
  const lines = (textOf(soul, "starters.md") ?? "")
    .split("\n")
    .map((line) => Array.from(line.trim()).slice(0, STARTER_CHARS).join("").trim())
    .filter((line) => line !== "");
  const starters = [...new Set(lines)].slice(0, STARTERS_MAX);
  return starters.length > 0 ? starters : openers;
}
