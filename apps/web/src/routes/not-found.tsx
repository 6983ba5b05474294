import { BlankSlate } from "../components/ui/blank-slate.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";

export function NotFoundPage() {
  return (
    <BlankSlate
      isPage
      title="This page doesn't exist"
      actions={<LinkButton to="/">See all souls</LinkButton>}
    >
      The address may be mistyped, or the page was deleted.
    </BlankSlate>
  );
}
