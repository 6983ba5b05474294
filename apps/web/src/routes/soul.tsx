import "./soul.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { fromNow } from "../clock.ts";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { DownloadIcon, LinkIcon, LockIcon } from "../components/icons.tsx";
import { ReportButton } from "../components/moderation/report-button.tsx";
import { AuthorLink } from "../components/soul/author-link.tsx";
import { GateNote } from "../components/soul/gate-note.tsx";
import { SoulAbout } from "../components/soul/soul-about.tsx";
import { useCategory } from "../components/soul/soul-card.tsx";
import { SoulFiles } from "../components/soul/soul-files.tsx";
import { SoulGreeting } from "../components/soul/soul-greeting.tsx";
import { SoulMarks } from "../components/soul/soul-marks.tsx";
import { TalkButton } from "../components/soul/talk-button.tsx";
import { DialogButton } from "../components/ui/dialog-button.tsx";
import { lazyPart } from "../components/ui/lazy-part.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { Sigil } from "../components/ui/sigil.tsx";
import { exactCount } from "../counts.ts";
import { failureFor } from "../failures.ts";
import { me, type Soul, soulById } from "../queries.ts";
import { readSoulFiles } from "../soul-files.ts";

export const route = createLazyRoute("/soul/$id")({ component: SoulPage });

/**
 * The author's buttons load for the author only, so that other visitors do not download their
 * dialog.
 */
const OwnerActions = lazyPart(() => import("../components/soul/owner-actions.tsx"), "OwnerActions");

const ShareDialog = lazyPart(() => import("../components/share/share-dialog.tsx"), "ShareDialog");

const UseItDialog = lazyPart(() => import("../components/use-it/use-it-dialog.tsx"), "UseItDialog");

/** Loads after the page, so that its first paint does not wait. */
const SimilarSouls = lazyPart(() => import("../components/soul/similar-souls.tsx"), "SimilarSouls");

/** The decision of the staff loads for the author of a hidden soul only. */
const HiddenSoul = lazyPart(() => import("../components/moderation/hidden-soul.tsx"), "HiddenSoul");

function SoulPage() {
  const { id } = route.useParams();
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  usePageTitle(soul.data ? `${soul.data.title} · Soul Hub` : "Soul Hub");
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  if (soul.isLoadingError) return <QueryFailure query={soul} />;
  if (!soul.data) return <SoulSkeleton />;
  const { moderation } = soul.data;
  return (
    <>
      {moderation && <HiddenSoul decisionId={moderation.decision_id} />}
      <SoulView key={id} soul={soul.data} />
    </>
  );
}

function SoulView({ soul }: { soul: Soul }) {
  const files = useMemo(() => readSoulFiles(soul), [soul]);
  const { data: user } = useQuery(me);
  const isMine = user?.username === soul.username;
  const isOpen = !soul.content_hidden;
  return (
    <article className="page soul">
      <div className="stack stack--wide soul__intro">
        <header className="item soul__head">
          <Sigil id={soul.id} size={84} />
          <div>
            <h1 className="page__title" dir="auto">
              {soul.title}
            </h1>
            <p className="muted">
              by <AuthorLink username={soul.username} /> ·{" "}
              <Link to="/soul/$id/history" params={{ id: soul.id }} title="History">
                v{soul.version}
              </Link>
              {soul.forked_from !== null && (
                <>
                  {" "}
                  · <Origin id={soul.forked_from} />
                </>
              )}
            </p>
          </div>
        </header>
        {soul.description.trim() && <SoulAbout text={soul.description} />}
        {isOpen && (
          <>
            <div className="row soul__talk">
              <TalkButton soulId={soul.id} soulTitle={soul.title} size="md" />
              <p className="small">
                {soul.is_public === 1
                  ? "Opens a new room. Anyone with its link can join."
                  : "Opens a new room, which other people cannot enter."}
              </p>
            </div>
            <SoulGreeting soul={soul} />
          </>
        )}
      </div>
      <div className="panel stack stack--close soul__acts">
        <SoulMarks soul={soul} />
        {soul.is_public === 1 && (
          <DialogButton
            variant="default"
            size="sm"
            leftSection={<LinkIcon size={17} />}
            dialog={(state) => (
              <ShareDialog
                heading="Share"
                url={`${location.origin}/soul/${soul.id}`}
                title={soul.title}
                {...state}
              />
            )}
          >
            Share
          </DialogButton>
        )}
        {isOpen && (
          <DialogButton
            variant="default"
            size="sm"
            leftSection={<DownloadIcon size={17} />}
            dialog={(state) => <UseItDialog soul={soul} {...state} />}
          >
            Use it elsewhere
          </DialogButton>
        )}
        {isMine && (
          <div className="halves">
            <OwnerActions id={soul.id} title={soul.title} />
          </div>
        )}
      </div>
      <section className="panel" aria-label="The soul's text">
        {isOpen ? <SoulFiles files={files} /> : <GateNote soul={soul} />}
      </section>
      <aside className="panel stack soul__side" aria-label="About this soul">
        <SoulFactList soul={soul} />
        {!isMine && (
          <div>
            <ReportButton target={{ kind: "soul", soul_id: soul.id }} />
          </div>
        )}
      </aside>
      {soul.is_public === 1 && <SimilarSouls id={soul.id} />}
    </article>
  );
}

/** A link to the soul from which a fork was made. That soul may be deleted or private by now. */
function Origin({ id }: { id: number }) {
  const { data: origin, isError } = useQuery(soulById(id));
  if (isError) return <>forked from a soul that is no longer public</>;
  return (
    <>
      forked from{" "}
      <Link to="/soul/$id" params={{ id }}>
        <bdi>{origin?.title ?? `soul ${id}`}</bdi>
      </Link>
    </>
  );
}

function SoulFactList({ soul }: { soul: Soul }) {
  const category = useCategory(soul.role);
  const { compatibility, domain, like_count, fork_count, total_ratings, avg_rating } = soul;
  return (
    <dl className="facts muted soul__facts">
      {soul.is_public === 0 && (
        <Fact name="Visible to">
          <LockIcon size={15} /> only you
        </Fact>
      )}
      {soul.nft_contract !== null && <Fact name="For holders of">{soul.nft_contract}</Fact>}
      <Fact name="Category">{category || "Other"}</Fact>
      {domain && <Fact name="Domain">{domain}</Fact>}
      <Fact name="Made for">{/^any$/i.test(compatibility) ? "any model" : compatibility}</Fact>
      {like_count > 0 && <Fact name="Likes">{exactCount(like_count)}</Fact>}
      {fork_count > 0 && <Fact name="Forks">{exactCount(fork_count)}</Fact>}
      {total_ratings > 0 && (
        <Fact name="Rating">
          {avg_rating.toFixed(1)} of 5 ({total_ratings})
        </Fact>
      )}
      <Fact name="Published">{fromNow(soul.created_at)}</Fact>
      {soul.updated_at !== soul.created_at && (
        <Fact name="Updated">{fromNow(soul.updated_at)}</Fact>
      )}
      <Fact name="History">
        <Link to="/soul/$id/history" params={{ id: soul.id }}>
          What changed
        </Link>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

function SoulSkeleton() {
  return (
    <div className="page soul" aria-busy="true">
      <div className="item soul__head">
        <Skeleton width={84} height={84} radius={22} />
        <div style={{ flex: 1 }}>
          <Skeleton height={34} width="60%" mb={14} />
          <Skeleton height={14} width="25%" />
        </div>
      </div>
      <div className="panel stack">
        <Skeleton height={42} radius="md" />
        <Skeleton height={14} width="60%" />
      </div>
      <div className="panel">
        {["90%", "96%", "72%", "88%", "93%", "40%"].map((width) => (
          <Skeleton key={width} height={14} width={width} mb={16} />
        ))}
      </div>
    </div>
  );
}
