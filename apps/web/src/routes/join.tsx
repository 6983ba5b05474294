import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { FailureView } from "../components/feedback/failure-view.tsx";
import { PagePending } from "../components/feedback/page-pending.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";
import { linkTo } from "../components/ui/open-room.ts";
import { SignInWall } from "../components/ui/sign-in-wall.tsx";
import { failureFor, failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { invalidate, me, myChats } from "../queries.ts";

export const route = createLazyRoute("/join/$invite")({ component: JoinPage });

const TITLE = "You are invited to a private room";

/** Explains an invite. Opening the page uses up nothing: a click joins. */
function JoinPage() {
  const { invite } = route.useParams();
  const { data: user, isPending } = useQuery(me);
  useDocumentTitle(`${TITLE} · Soul Hub`);
  if (isPending) return <PagePending />;
  if (!user) {
    return (
      <SignInWall title={TITLE}>
        In the room, invited people talk with an AI soul. Joining needs an account. You return to
        this page afterwards.
      </SignInWall>
    );
  }
  return <Join invite={invite} username={user.username} />;
}

function Join({ invite, username }: { invite: string; username: string }) {
  const navigate = useNavigate();
  const join = useMutation({
    mutationFn: () => hub.rooms.join.mutate({ invite }),
    onSuccess: async (room) => {
      void invalidate(myChats.queryKey);
      await navigate({ ...linkTo(room), replace: true });
    },
  });
  const failure = join.isError ? failureOf(join.error) : undefined;
  // A malformed invite is that of no room.
  if (failure?.code === "invalid_input" || failure?.code === "invite_not_found") {
    return <FailureView failure={failureFor("invite_not_found")} />;
  }
  return (
    <div className="page page--narrow">
      <h1 className="page__title">{TITLE}</h1>
      <p className="page__lead">
        As <strong>{username}</strong>, you become a member of the room. You read its whole
        conversation and write in it. The others there see your name. Its owner can end your
        membership.
      </p>
      <div className="stack">
        <FailureNote failure={failure} />
        <div className="row">
          <Button size="md" loading={join.isPending} onClick={() => join.mutate()}>
            Join the room
          </Button>
          <LinkButton to="/" size="md" variant="default">
            Not now
          </LinkButton>
        </div>
      </div>
    </div>
  );
}
