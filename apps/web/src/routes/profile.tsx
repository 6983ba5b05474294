import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { fullDate } from "../clock.ts";
import { PersonAvatar } from "../components/account/person-avatar.tsx";
import { BlockButton } from "../components/blocks/block-button.tsx";
import { QueryFailure } from "../components/feedback/failure-view.tsx";
import { ReportButton } from "../components/moderation/report-button.tsx";
import { SoulGrid } from "../components/soul/soul-card.tsx";
import { SoulCardSkeletons } from "../components/soul/soul-card-skeleton.tsx";
import { BlankSlate } from "../components/ui/blank-slate.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { exactCount } from "../counts.ts";
import { me, profileOf } from "../queries.ts";

export const route = createLazyRoute("/u/$username")({ component: ProfilePage });

/** The API lists at most this many souls of a profile (decisions §2, paged lists). */
const SOULS_SHOWN = 100;

function ProfilePage() {
  const { username } = route.useParams();
  const query = useQuery(profileOf(username));
  const { data } = query;
  const { data: user } = useQuery(me);
  const name = data?.user.username ?? username;
  usePageTitle(`${name} · Soul Hub`);
  if (query.isLoadingError) return <QueryFailure query={query} />;
  return (
    <div className="page">
      <header className="item page__head">
        <PersonAvatar name={name} size={84} />
        <div>
          <h1 className="page__title">{name}</h1>
          {data ? (
            <ul className="row muted">
              <li>joined {fullDate(data.user.joined_at)}</li>
              <Stat count={data.stats.total_souls} noun="soul" />
              <Stat count={data.stats.total_likes} noun="like" />
              <Stat count={data.stats.total_forks} noun="fork" />
            </ul>
          ) : (
            <Skeleton height={16} width={260} />
          )}
          {data && (
            <div className="row page__acts">
              <BlockButton username={name} />
              {user !== undefined && user?.username !== name && (
                <ReportButton target={{ kind: "person", username: name }} />
              )}
            </div>
          )}
        </div>
      </header>
      {data ? <Souls name={name} {...data} /> : <SoulCardSkeletons count={3} />}
    </div>
  );
}

type Profile = Awaited<ReturnType<NonNullable<ReturnType<typeof profileOf>["queryFn"]>>>;

function Souls({ name, souls, stats }: { name: string } & Pick<Profile, "souls" | "stats">) {
  const { data: user } = useQuery(me);
  const isMe = user?.username === name;
  if (souls.length === 0) {
    return (
      <BlankSlate
        title={isMe ? "You have no public souls yet" : "No public souls yet"}
        actions={
          <LinkButton to={isMe ? "/publish" : "/"}>
            {isMe ? "Publish a soul" : "See all souls"}
          </LinkButton>
        }
      >
        {isMe
          ? "Your public souls appear here. Private ones don't."
          : `When ${name} publishes a soul, it appears here.`}
      </BlankSlate>
    );
  }
  return (
    <>
      <SoulGrid souls={souls} />
      {stats.total_souls > SOULS_SHOWN && (
        <p className="page__end">Only the newest {SOULS_SHOWN} are listed.</p>
      )}
    </>
  );
}

function Stat({ count, noun }: { count: number; noun: string }) {
  if (count === 0) return null;
  return (
    <li>
      <strong>{exactCount(count)}</strong> {count === 1 ? noun : `${noun}s`}
    </li>
  );
}
