import { queryOptions, useQuery } from "@tanstack/react-query";
import { hub } from "../../hub.ts";
import type { RoomName, RoomSoul } from "../../queries.ts";
import { type FailedQuery, QueryFailure } from "../feedback/failure-view.tsx";
import { PagePending } from "../feedback/page-pending.tsx";
import { RoomView } from "./room-view.tsx";

/**
 * A room whose soul the reader may not read any more. Its people read on.
 * @param failed the query of the soul, whose failure other readers see
 */
export function KeptRoom({ name, failed }: { name: RoomName; failed: FailedQuery }) {
  const kept = useQuery(keptSoulOf(name));
  if (kept.isLoading) return <PagePending />;
  if (!kept.data) return <QueryFailure query={failed} />;
  return <RoomView soul={kept.data} sessionToken={name.session_token} />;
}

/** The soul of a room that the caller may still read, although the caller may not use the soul. */
const keptSoulOf = (name: RoomName) =>
  queryOptions({
    queryKey: ["kept-soul", name],
    queryFn: ({ signal }) => hub.rooms.get.query(name, { signal }),
    select: ({ data: { souls } }): RoomSoul => ({
      id: name.soul_id,
      title: souls[0]?.title ?? "",
      description: "",
      content: "",
      file_type: "single_md",
      has_package: false,
      is_public: 0,
      nft_contract: null,
      version: 1,
      version_note: null,
    }),
  });
