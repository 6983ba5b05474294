import "./use-it.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { me, type Soul } from "../../queries.ts";
import { ExportLinks, exportNote } from "../exchange/export-links.tsx";
import { AsModel } from "./as-model.tsx";
import { InAgent } from "./in-agent.tsx";
import { InRoom } from "./in-room.tsx";

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
