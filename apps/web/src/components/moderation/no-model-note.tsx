import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlertIcon } from "../icons.tsx";

/** Tells the staff of a hub without a model so. Everybody may read the state of the hub. */
export function NoModelNote() {
  const { data: alive } = useQuery({
    queryKey: ["alive"],
    queryFn: async ({ signal }) => (await fetch("/healthz", { signal })).json(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (alive?.model_configured !== false) return null;
  return (
    <aside className="note note--bar" data-tone="warn" aria-label="This hub has no model">
      <AlertIcon size={18} />
      <p>
        This hub has no model.{" "}
        <Link to="/admin" search={{ view: "health" }}>
          See its health
        </Link>
      </p>
    </aside>
  );
}
