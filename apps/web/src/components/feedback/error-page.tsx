import { Button } from "@mantine/core";
import { BlankSlate } from "../ui/blank-slate.tsx";

/** Replaces a page that threw an exception, e.g. because a newer deployment removed its code. */
export function ErrorPage() {
  return (
    <BlankSlate
      isPage
      title="Something went wrong on this page"
      actions={<Button onClick={() => location.reload()}>Reload the page</Button>}
    >
      If the hub was just updated, reloading the page loads the new version.
    </BlankSlate>
  );
}
