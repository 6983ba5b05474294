import { VERSION_FORMAT } from "../../version/version-digest.ts";

/** The state of a soul that a statement is about. */
interface StatedVersion {
  /** The host of the hub, with its port if it has one. */
  hub: string;
  soul_id: number;
  number: number;
  /** `sha256:<64 hex digits>`, see `versionDigest`. */
  digest: string;
}

/**
 * The text that the author of a version signs: four lines (0036). Its first line keeps it apart from
 * the message of a login, `service_auth:<13 digits>`.
 */
export const versionStatement = ({ hub, soul_id, number, digest }: StatedVersion): string =>
  [VERSION_FORMAT, `hub: ${hub}`, `soul: ${soul_id} version ${number}`, `digest: ${digest}`].join(
    "\n",
  );
