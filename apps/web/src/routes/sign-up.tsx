import "../components/account/auth.css";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useAfterSignIn } from "../components/account/after-sign-in.tsx";
import { SignUpForm } from "../components/account/sign-up-form.tsx";
import { SignedInAlready } from "../components/account/signed-in-already.tsx";
import { PagePending } from "../components/feedback/page-pending.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { type HubInfo, hubInfo, me } from "../queries.ts";

export const route = createLazyRoute("/sign-up")({ component: SignUpPage });

const leads = {
  open: "With an account you can publish souls and send more messages a day than a guest.",
  invite: "This hub is by invitation. Paste the code that its operator gave you.",
  closed: "Its operator creates no new accounts at present. If you have one, sign in.",
} as const;

function SignUpPage() {
  const { next } = route.useSearch();
  const { data: user } = useQuery(me);
  const { data: about, isPending } = useQuery(hubInfo);
  const { onSignedIn, question, isSignedIn } = useAfterSignIn(next);
  usePageTitle("Create an account · Soul Hub");
  if (question) return question;
  // The form itself signs in, too, and then opens the next page.
  if (user && !isSignedIn) return <SignedInAlready username={user.username} next={next} />;
  if (isPending) return <PagePending />;
  const registration = about?.registration ?? "open";
  return (
    <div className="page page--narrow">
      <h1 className="page__title">
        {registration === "closed" ? "This hub is closed to new accounts" : "Create your account"}
      </h1>
      <p className="page__lead">{leads[registration]}</p>
      {registration !== "closed" && (
        <SignUpForm {...{ next, onSignedIn }} needsInvite={registration === "invite"} />
      )}
      {about?.contact && registration !== "open" && (
        <p className="page__end">
          <a href={about.contact}>Ask the operator</a>
        </p>
      )}
      {registration !== "closed" && about && <Rules about={about} />}
      <p className="page__end">
        Already have an account?{" "}
        <Link to="/sign-in" search={{ next }}>
          Sign in
        </Link>
      </p>
    </div>
  );
}

type Links = Pick<HubInfo, "terms_url" | "privacy_url">;

/** Links to the rules of the hub's operator, if there are any. */
function Rules({ about: { terms_url, privacy_url } }: { about: Links }) {
  if (!terms_url && !privacy_url) return null;
  return (
    <p className="page__end">
      {terms_url && <a href={terms_url}>Terms of use</a>}
      {terms_url && privacy_url && " · "}
      {privacy_url && <a href={privacy_url}>Privacy</a>}
    </p>
  );
}
