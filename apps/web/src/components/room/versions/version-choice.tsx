import { Button, Skeleton } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";

const VersionSelect = lazy(() =>
  import("./version-select.tsx").then((module) => ({ default: module.VersionSelect })),
);

/** Says which version of the soul answers in the room. The room's owner can choose another one. */
export function VersionChoice() {
  const { isOwner } = useRoomContext();
  const { host } = usePin();
  const [isChoosing, setChoosing] = useState(false);
  if (!host || (host.version === null && !isOwner)) return null;
  const { version, latest } = host;
  return (
    <section className="stack stack--close stack--form">
      <h2>Version of the soul</h2>
      <p>
        {version === null
          ? `Follows the soul, now version ${latest}.`
          : `Answers as version ${version}.${latest > version ? ` The newest is version ${latest}.` : ""}`}
      </p>
      {isOwner &&
        (isChoosing ? (
          <Suspense fallback={<Skeleton height={64} radius="md" />}>
            <VersionSelect pinned={version} latest={latest} />
          </Suspense>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => setChoosing(true)}>
            Choose a version
          </Button>
        ))}
    </section>
  );
}
