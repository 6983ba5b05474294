import { Button } from "@mantine/core";
import { BlankSlate } from "./blank-slate.tsx";

/** A mistake of this page itself, e.g. code that is gone after the hub was updated. */
export function ErrorPage() {
  return (
    <BlankSlate
      isPage
      title="This page stumbled"
      ways={<Button onClick={() => location.reload()}>Reload the page</Button>}
    >
      Something in it went wrong. If the hub was just updated, a reload brings the new version.
    </BlankSlate>
  );
}
