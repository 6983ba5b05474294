import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";
import { VersionSelect } from "./version-select.tsx";

/** Says which version of the soul answers in the room. The room's owner can choose another one. */
export function VersionChoice() {
  const { mayChange } = useRoomContext();
  const { host } = usePin();
  if (!host) return null;
  const { version, latest } = host;
  return (
    <>
      <p>
        {version === null
          ? `Follows the soul, now version ${latest}.`
          : `Answers as version ${version}.${latest > version ? ` The newest is version ${latest}.` : ""}`}
      </p>
      {mayChange && <VersionSelect pinned={version} latest={latest} />}
    </>
  );
}
