/** The purpose of the vault for evidence of moderation, a slice to the right (0062). */
export const EVIDENCE_PURPOSE = "moderation-evidence";
