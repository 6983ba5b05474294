import "./admin.css";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { AuditLog } from "../../components/admin/audit-log.tsx";
import { CaseQueue } from "../../components/admin/cases/case-queue.tsx";
import { CaseView } from "../../components/admin/cases/case-view.tsx";
import { HubHealth } from "../../components/admin/hub-health.tsx";
import { HubInvites } from "../../components/admin/hub-invites.tsx";
import { HubPeople } from "../../components/admin/hub-people.tsx";
import { PagePending } from "../../components/feedback/page-pending.tsx";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { me } from "../../queries.ts";
import { NotFoundPage } from "../not-found.tsx";

export const route = createLazyRoute("/admin")({ component: AdminPage });

/** The views besides the queue. The hub answers invites and audit log for admins alone. */
const views = {
  people: { name: "People", View: HubPeople, isForAdmins: false },
  invites: { name: "Invites", View: HubInvites, isForAdmins: true },
  audit: { name: "Audit log", View: AuditLog, isForAdmins: true },
  health: { name: "Health", View: HubHealth, isForAdmins: false },
} satisfies Record<string, { name: string; View: ComponentType; isForAdmins: boolean }>;

/** The page of the hub's staff. For everybody else it does not exist. */
function AdminPage() {
  const { data: user, isPending } = useQuery(me);
  const { view, state = "open", case: caseId } = route.useSearch();
  const role = user?.role ?? "member";
  const isStaff = role !== "member" && user?.moderation?.state !== "suspended";
  const chosen = view && views[view];
  usePageTitle(isStaff ? "Moderation · Soul Hub" : "Soul Hub");
  if (isPending) return <PagePending />;
  if (!isStaff || (chosen?.isForAdmins && role !== "admin")) return <NotFoundPage />;
  const shown = Object.entries(views).filter(
    ([, { isForAdmins }]) => !isForAdmins || role === "admin",
  );
  return (
    <div className="page stack">
      <h1 className="page__title">Moderation</h1>
      <nav className="row" aria-label="Moderation">
        <Link to="/admin" search={{}} className="chip" data-chosen={!view}>
          Cases
        </Link>
        {shown.map(([key, { name }]) => (
          <Link
            key={key}
            to="/admin"
            search={{ view: key as keyof typeof views }}
            className="chip"
            data-chosen={view === key}
          >
            {name}
          </Link>
        ))}
      </nav>
      {chosen ? (
        <chosen.View />
      ) : caseId ? (
        <CaseView key={caseId} id={caseId} state={state} />
      ) : (
        <CaseQueue key={state} state={state} />
      )}
    </div>
  );
}
