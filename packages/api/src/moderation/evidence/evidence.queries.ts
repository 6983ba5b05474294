import { sql } from "kysely";
import { EVIDENCE_PURPOSE } from "../../chat/master-keys/evidence-purpose.ts";
import type { Db } from "../../db/database.ts";
import type { Vault } from "../../vault.ts";

/** The most reported texts of a case. Each differs from the others, as the author edited it. */
const MAX_TEXTS = 10;

type EvidenceKind = "reported" | "removed";

/**
 * Seals a text into a case, so that a deletion does not take the evidence away (0062). A text that
 * the case holds already is not added again.
 */
export async function sealEvidence(
  tx: Db,
  vault: Vault,
  { caseId, kind, text }: { caseId: number; kind: EvidenceKind; text: string },
): Promise<void> {
  const bind = String(caseId);
  const { texts } = await tx
    .selectFrom("mod_evidence")
    .select(({ fn }) => fn.countAll<number>().as("texts"))
    .where("case_id", "=", caseId)
    .executeTakeFirstOrThrow();
  if (kind === "reported" && texts >= MAX_TEXTS) return;
  await tx
    .insertInto("mod_evidence")
    .values({
      case_id: caseId,
      kind,
      mac: vault.mac(EVIDENCE_PURPOSE, `${kind}\0${bind}\0${text}`).toString("base64url"),
      sealed: vault.seal(EVIDENCE_PURPOSE, bind, text),
    })
    .onConflict((conflict) => conflict.columns(["case_id", "mac"]).doNothing())
    .execute();
}

/** Opens the texts of a case, oldest first. None is left after the time for an appeal. */
export async function openEvidence(
  db: Db,
  vault: Vault,
  { caseId, kind }: { caseId: number; kind: EvidenceKind },
): Promise<{ id: number; text: string; created_at: string }[]> {
  const rows = await db
    .selectFrom("mod_evidence")
    .select(["id", "sealed", "created_at"])
    .where("case_id", "=", caseId)
    .where("kind", "=", kind)
    .orderBy("id")
    .execute();
  return rows.flatMap(({ sealed, ...row }) => {
    try {
      return [{ ...row, text: vault.open(EVIDENCE_PURPOSE, String(caseId), sealed) }];
    } catch {
      // The master key is lost. The case can still be decided.
      return [];
    }
  });
}

/** Deletes the texts of closed cases whose time for an appeal has passed (0062). */
export async function sweepEvidence(db: Db): Promise<void> {
  await sql`
    delete from mod_evidence using mod_cases
    where mod_cases.id = mod_evidence.case_id and mod_cases.state = 'closed'
      and not exists (select from mod_decisions
        where mod_decisions.case_id = mod_cases.id and appeal_until > hub_now())`.execute(db);
}
