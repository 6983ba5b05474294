import "./soul.css";
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { fromNow } from "../clock.ts";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { DownIcon, LinkIcon, LockIcon } from "../components/icons.tsx";
import { ReportButton } from "../components/moderation/report-button.tsx";
import { AuthorLink } from "../components/soul/author-link.tsx";
import { GateNote } from "../components/soul/gate-note.tsx";
import { useCategory } from "../components/soul/soul-card.tsx";
import { SoulFiles } from "../components/soul/soul-files.tsx";
import { SoulMarks } from "../components/soul/soul-marks.tsx";
import { TalkButton } from "../components/soul/talk-button.tsx";
import { DialogButton } from "../components/ui/dialog-button.tsx";
import { lazyPart } from "../components/ui/lazy-part.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { Sigil } from "../components/ui/sigil.tsx";
import { USE_IT, UseIt } from "../components/use-it/use-it.tsx";
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
      <SoulView soul={soul.data} />
    </>
  );
}

function SoulView({ soul }: { soul: Soul }) {
  const files = useMemo(() => readSoulFiles(soul), [soul]);
  return (
    <article className="page soul">
      <div className="soul__main">
        <div className="soul__intro">
          <header className="item page__head">
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
          {soul.description.trim() && (
            <p className="page__lead long-text soul__about" dir="auto">
              {soul.description}
            </p>
          )}
        </div>
        <section className="panel soul__text" aria-label="The soul's text">
          {soul.content_hidden ? <GateNote soul={soul} /> : <SoulFiles files={files} />}
        </section>
        <UseIt soul={soul} />
      </div>
      <aside className="panel stack soul__side">
        {!soul.content_hidden && (
          <>
            <TalkButton
              soulId={soul.id}
              soulTitle={soul.title}
              label="Talk to it"
              size="md"
              fullWidth
            />
            <p className="muted">
              {soul.is_public === 1
                ? "Opens a new room. Anyone with its link can join."
                : "Opens a new room, which other people cannot enter."}
            </p>
          </>
        )}
        <SoulMarks soul={soul} />
        {soul.is_public === 1 && (
          <DialogButton
            variant="default"
            size="sm"
            leftSection={<LinkIcon size={17} />}
            fullWidth
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
        {!soul.content_hidden && (
          <Button
            component="a"
            href={`#${USE_IT}`}
            variant="default"
            size="sm"
            leftSection={<DownIcon size={17} />}
            fullWidth
          >
            Use it elsewhere
          </Button>
        )}
        <SoulFactList soul={soul} />
        <Ownership soul={soul} />
      </aside>
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
  const { compatibility, domain, total_ratings, avg_rating } = soul;
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
      <Fact name="Likes">{exactCount(soul.like_count)}</Fact>
      <Fact name="Forks">{exactCount(soul.fork_count)}</Fact>
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

function Ownership({ soul }: { soul: Soul }) {
  const { data: user } = useQuery(me);
  const isMine = user?.username === soul.username;
  return isMine ? (
    <div className="halves soul__own">
      <OwnerActions id={soul.id} title={soul.title} />
    </div>
  ) : (
    <div>
      <ReportButton target={{ kind: "soul", soul_id: soul.id }} />
    </div>
  );
}

function SoulSkeleton() {
  return (
    <div className="page soul" aria-busy="true">
      <div>
        <div className="item page__head">
          <Skeleton width={84} height={84} radius={22} />
          <div style={{ flex: 1 }}>
            <Skeleton height={34} width="60%" mb={14} />
            <Skeleton height={14} width="25%" />
          </div>
        </div>
        <div className="panel">
          {["90%", "96%", "72%", "88%", "93%", "40%"].map((width) => (
            <Skeleton key={width} height={14} width={width} mb={16} />
          ))}
        </div>
      </div>
      <div className="panel stack soul__side">
        <Skeleton height={42} radius="md" />
        <Skeleton height={14} />
        <Skeleton height={14} width="60%" />
      </div>
    </div>
  );
}
