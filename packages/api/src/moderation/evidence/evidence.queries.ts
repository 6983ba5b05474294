import { sql } from "kysely";
import { EVIDENCE_PURPOSE } from "../../chat/master-keys/evidence-purpose.ts";
import type { Db } from "../../db/database.ts";
import type { Vault } from "../../vault.ts";

/** The most reported texts of a case. Each differs from the others, as the author edited it. */
const MAX_TEXTS = 10;
/** The characters of these texts, sealed, beside the first one. The newest may have more. */
const MAX_CHARS = 1_000_000;

type EvidenceKind = "reported" | "removed";

/**
 * Seals a text into a case, so that a deletion does not take the evidence away (0062). A text that
 * the case holds already is not added again. Of too many reported texts, the first and the newest
 * stay. The caller holds the lock of the case.
 */
export async function sealEvidence(
  tx: Db,
  vault: Vault,
  { caseId, kind, text }: { caseId: number; kind: EvidenceKind; text: string },
): Promise<void> {
  const bind = String(caseId);
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
  if (kind === "reported") await dropTextsBetween(tx, caseId);
}

/** Deletes reported texts beyond the limits, which are neither the first nor the newest. */
const dropTextsBetween = (tx: Db, caseId: number) =>
  sql`
    delete from mod_evidence where id in (
      select id from (
        select id, id = min(id) over () as is_first, row_number() over newest_first as nth,
          sum(length(sealed)) over newest_first as chars
        from mod_evidence where case_id = ${caseId} and kind = 'reported'
        window newest_first as (order by id desc)) as text
      where not is_first and nth > 1
        and (nth >= ${MAX_TEXTS}::int or chars > ${MAX_CHARS}::int))`.execute(tx);

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

/**
 * Deletes the texts of closed cases whose time for an appeal has passed (0062). A case that staff
 * decide at the moment waits for the next sweep.
 */
export async function sweepEvidence(db: Db): Promise<void> {
  await sql`
    with over as (
      select id from mod_cases where state = 'closed'
        and exists (select from mod_evidence where case_id = mod_cases.id)
        and not exists (select from mod_decisions
          where case_id = mod_cases.id and appeal_until > hub_now())
      for update skip locked)
    delete from mod_evidence using over where over.id = mod_evidence.case_id`.execute(db);
}
