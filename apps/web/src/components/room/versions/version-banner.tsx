import { lazyPart } from "../../ui/lazy-part.tsx";
import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";

const NewerVersion = lazyPart(() => import("./newer-version.tsx"), "NewerVersion");

/** Tells the owner of a pinned room that the soul has a newer version. */
export function VersionBanner() {
  const { mayChange } = useRoomContext();
  const { host } = usePin();
  if (!mayChange || !host || host.version === null || host.version >= host.latest) return null;
  return <NewerVersion pinned={host.version} latest={host.latest} />;
}
