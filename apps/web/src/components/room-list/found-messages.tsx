import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import type { SearchAnswer } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { linkTo } from "../ui/open-room.ts";
import { Sigil } from "../ui/sigil.tsx";
import { SmallButton } from "../ui/small-button.tsx";

/** Limits of the hub's search (0042). */
const LONG_ENOUGH = /..|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/su;
const MAX_CHARS = 100;
const LIMIT = 50;

/** The messages of the member's rooms that contain a text, newest first. */
export function FoundMessages({ text }: { text: string }) {
  const chars = Array.from(text);
  const q = chars.slice(0, MAX_CHARS).join("").trim();
  const isLongEnough = LONG_ENOUGH.test(q.normalize("NFKC"));
  const query = useQuery({
    queryKey: ["chat-search", q],
    queryFn: ({ signal }) => hub.chat.search.query({ q, limit: LIMIT }, { signal }),
    enabled: isLongEnough,
    placeholderData: keepPreviousData,
    select: ({ data }) => data,
  });
  const { data } = query;
  if (!isLongEnough) {
    return (
      <p className="muted room-list__note">Type two characters to search the messages, too.</p>
    );
  }
  if (query.isLoadingError) {
    return (
      <FailureNote error={query.error}>
        <SmallButton onClick={() => void query.refetch()}>Search again</SmallButton>
      </FailureNote>
    );
  }
  return (
    <section className="stack stack--close" aria-label="Messages found">
      <p className="muted room-list__note" role="status">
        {data && !query.isPlaceholderData ? summaryOf(data, text) : "Searching messages…"}
      </p>
      <ul className="stack stack--tight" data-stale={query.isPlaceholderData}>
        {data?.results.map((found) => (
          <li key={found.id}>
            <Found found={found} text={q} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function summaryOf({ results, is_complete }: SearchAnswer, text: string): string {
  const { length } = results;
  const more = is_complete ? "" : " There may be more: longer words find fewer messages.";
  if (length === 0) {
    return is_complete
      ? `No message contains “${text}”.`
      : `Your newest messages don't contain “${text}”. Older ones were not searched.`;
  }
  return `${length} ${length === 1 ? "message contains" : "messages contain"} “${text}”.${more}`;
}

function Found({ found, text }: { found: SearchAnswer["results"][number]; text: string }) {
  const { soul_id, title, id, sender_name, excerpt } = found;
  return (
    <Link {...linkTo(found)} search={{ at: id }} className="item item--choice room-row" data-row>
      <Sigil id={soul_id} size={40} />
      <span className="item__words">
        <bdi className="one-line">{title}</bdi>
        <small className="clamp room-row__excerpt">
          <bdi>{sender_name}</bdi>: <bdi>{markText(excerpt, text)}</bdi>
        </small>
      </span>
    </Link>
  );
}

/** Marks a text in an excerpt. The hub also compares other forms of letters; those get no mark. */
function markText(excerpt: string, text: string) {
  const words = text.replace(/\s+/g, " ").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return excerpt
    .split(new RegExp(`(${words})`, "iu"))
    .map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}
