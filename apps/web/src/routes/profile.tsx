import "./profile.css";
import { Button, Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { fullDate } from "../clock.ts";
import { BlankSlate } from "../components/blank-slate.tsx";
import { FailureView } from "../components/failure-view.tsx";
import { PersonAvatar } from "../components/person-avatar.tsx";
import { SoulCard } from "../components/soul-card.tsx";
import { SoulCardSkeletons } from "../components/soul-card-skeleton.tsx";
import { failureOf } from "../failures.ts";
import { me, profileOf } from "../queries.ts";

export const route = createLazyRoute("/u/$username")({ component: ProfilePage });

/** What the hub lists of one person (decisions §2, paged lists). */
const SOULS_SHOWN = 100;

function ProfilePage() {
  const { username } = route.useParams();
  const { data, error, refetch } = useQuery(profileOf(username));
  const name = data?.user.username ?? username;
  useDocumentTitle(`${name} · Soul Hub`);
  if (error && !data) {
    return <FailureView failure={failureOf(error)} onRetry={() => void refetch()} />;
  }
  return (
    <div className="page">
      <header className="profile__head">
        <PersonAvatar name={name} size={84} />
        <div>
          <h1 className="page__title profile__name">{name}</h1>
          {data ? (
            <ul className="profile__stats">
              <li>joined {fullDate(data.user.joined_at)}</li>
              <Stat count={data.stats.total_souls} noun="soul" />
              <Stat count={data.stats.total_likes} noun="like" />
              <Stat count={data.stats.total_forks} noun="fork" />
            </ul>
          ) : (
            <Skeleton height={16} width={260} />
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
        title={isMe ? "Your first soul is waiting" : "Nothing published yet"}
        ways={
          <Button renderRoot={(props) => <Link to={isMe ? "/publish" : "/"} {...props} />}>
            {isMe ? "Publish a soul" : "See all souls"}
          </Button>
        }
      >
        {isMe
          ? "What you publish shows here, for everybody. Private souls don't."
          : `When ${name} publishes a soul, it shows here.`}
      </BlankSlate>
    );
  }
  return (
    <>
      <ul className="soul-grid">
        {souls.map((soul) => (
          <li key={soul.id}>
            <SoulCard soul={soul} />
          </li>
        ))}
      </ul>
      {stats.total_souls > SOULS_SHOWN && (
        <p className="profile__more">The newest {SOULS_SHOWN} are shown.</p>
      )}
    </>
  );
}

function Stat({ count, noun }: { count: number; noun: string }) {
  return (
    <li>
      <strong>{count.toLocaleString("en")}</strong> {count === 1 ? noun : `${noun}s`}
    </li>
  );
}
