import { lazy, Suspense } from "react";
import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";

const NewerVersion = lazy(() =>
  import("./newer-version.tsx").then((module) => ({ default: module.NewerVersion })),
);

/** Tells the owner of a pinned room that the soul has a newer version. */
export function VersionBanner() {
  const { isOwner } = useRoomContext();
  const { host } = usePin();
  if (!isOwner || !host || host.version === null || host.version >= host.latest) return null;
  return (
    <Suspense>
      <NewerVersion pinned={host.version} latest={host.latest} />
    </Suspense>
  );
}
