import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { BlankSlate } from "../components/blank-slate.tsx";

export function NotFoundPage() {
  return (
    <BlankSlate
      isPage
      title="Nobody lives here"
      ways={<Button renderRoot={(props) => <Link to="/" {...props} />}>See all souls</Button>}
    >
      The address may be mistyped, or what stood here has moved on.
    </BlankSlate>
  );
}
