import { Skeleton } from "@mantine/core";
import { useState } from "react";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";

const VersionSelect = lazyPart(() => import("./version-select.tsx"), "VersionSelect");

/** Says which version of the soul answers in the room. The room's owner can choose another one. */
export function VersionChoice() {
  const { mayChange } = useRoomContext();
  const { host } = usePin();
  const [isChoosing, setChoosing] = useState(false);
  if (!host || (host.version === null && !mayChange)) return null;
  const { version, latest } = host;
  return (
    <section className="stack stack--close stack--form">
      <h2>Version of the soul</h2>
      <p>
        {version === null
          ? `Follows the soul, now version ${latest}.`
          : `Answers as version ${version}.${latest > version ? ` The newest is version ${latest}.` : ""}`}
      </p>
      {mayChange &&
        (isChoosing ? (
          <VersionSelect
            pinned={version}
            latest={latest}
            fallback={<Skeleton height={64} radius="md" />}
          />
        ) : (
          <SmallButton onClick={() => setChoosing(true)}>Choose a version</SmallButton>
        ))}
    </section>
  );
}
