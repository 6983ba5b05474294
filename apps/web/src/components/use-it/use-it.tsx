import "./use-it.css";
import { modelNameOf, promptNameOf } from "@soul-hub/soul-names";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { newRoomToken } from "../../new-room.ts";
import { me, type Soul } from "../../queries.ts";
import { ExportLinks, exportNote } from "../exchange/export-links.tsx";
import { CopyTextButton } from "../feedback/copy-text-button.tsx";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { LinkIcon, TalkIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { KeyNote } from "./key-note.tsx";

/** The id of the panel, to which the page links. */
export const USE_IT = "use-it";

/** Every way to use a soul: one click or one copy each (0056). */
export function UseIt({ soul }: { soul: Soul }) {
  return (
    <section
      className="panel stack stack--wide use-it"
      id={USE_IT}
      aria-labelledby="use-it-title"
      tabIndex={-1}
    >
      <h2 id="use-it-title">Use it</h2>
      {soul.content_hidden ? (
        <p>
          A chat, a model for other programs and downloads are for holders of its token. They appear
          here once you hold one.
        </p>
      ) : (
        <Ways soul={soul} />
      )}
    </section>
  );
}

function Ways({ soul }: { soul: Soul }) {
  const { data: user } = useQuery(me);
  const isMember = Boolean(user);
  return (
    <>
      {soul.nft_contract !== null && (
        <p>In every program, its author and holders of its token can use it.</p>
      )}
      {soul.is_public === 0 && (
        <p>While it is private, other people cannot use it in any program.</p>
      )}
      <div className="columns use-it__ways">
        <Way title="In a room">
          <InRoom soul={soul} />
        </Way>
        <Way title="In a chat program or an editor">
          <AsModel soul={soul} isMember={isMember} />
        </Way>
        <Way title="In an agent">
          <InAgent soul={soul} isMember={isMember} />
        </Way>
      </div>
      <section className="stack stack--close use-it__files" aria-label="As a file">
        <h3>As a file</h3>
        <ExportLinks soulId={soul.id} versionId={null} level={4} />
        <p className="muted">{exportNote(soul.has_package)}</p>
      </section>
    </>
  );
}

function Way({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack stack--close" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A new room with a soul: to enter, and to invite others into. */
function InRoom({ soul: { id, title, is_public } }: { soul: Soul }) {
  // Link and button lead to the same room.
  const [session] = useState(newRoomToken);
  return (
    <>
      <p className="muted">
        {is_public === 1
          ? "Anyone with the room's link can join, and sees each word as it is written."
          : "Other people cannot enter its rooms while it is private, so there is no link to send."}
      </p>
      <div className="row">
        <LinkButton
          to="/chat/$id/$session"
          params={{ id, session }}
          size="sm"
          leftSection={<TalkIcon size={17} />}
          aria-label={`Start a chat: ${title}`}
        >
          Start a chat
        </LinkButton>
        {is_public === 1 && (
          <CopyTextButton
            text={`${location.origin}/chat/${id}/${session}`}
            label="Copy a room link"
            icon={<LinkIcon size={17} />}
          />
        )}
      </div>
    </>
  );
}

interface WayProps {
  soul: Soul;
  isMember: boolean;
}

/** A soul as a model of programs that speak OpenAI's protocol (0051). */
function AsModel({ soul, isMember }: WayProps) {
  return (
    <>
      <p className="muted">
        The soul is a model of any program that takes a base URL and a key, such as LibreChat, Open
        WebUI or the <code>openai</code> packages.
      </p>
      <CopyableCode name="Model" text={modelNameOf(soul)} />
      <CopyableCode name="Base URL" text={`${location.origin}/v1`} />
      <KeyNote soul={soul} isMember={isMember}>
        A pass or your own provider key pays for its replies.
      </KeyNote>
    </>
  );
}

/** The hub in agents that speak the Model Context Protocol (0054). */
function InAgent({ soul, isMember }: WayProps) {
  const address = `${location.origin}/mcp`;
  const add = `claude mcp add --transport http soul-hub ${address}`;
  const isOpen = soul.is_public === 1 && soul.nft_contract === null;
  return (
    <>
      <p className="muted">
        Agents find, read and talk to souls by the Model Context Protocol. This one is the prompt{" "}
        <code>{promptNameOf(soul)}</code>.
      </p>
      <CopyableCode
        name="Claude Code"
        text={isMember ? `${add} --header "Authorization: Bearer YOUR_KEY"` : add}
      />
      <CopyableCode name="Other agents" text={address} />
      <KeyNote soul={soul} isMember={isMember}>
        {isOpen
          ? "Without a key, agents only find and read it."
          : "Without a key, agents can't read it."}
      </KeyNote>
    </>
  );
}
