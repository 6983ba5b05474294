import { defineEntity, p } from "@mikro-orm/core";

/**
 * What an imported file brought beside the content of a soul (0052). Souls and versions name it by
 * their `package_id`. It never changes, so a version, a restore and a fork share it.
 */
export const SoulPackage = defineEntity({
  name: "soul_packages",
  properties: {
    id: p.bigint("number").primary(),
    /**
     * The nickname of the character card that the package came from. Empty if the card has none,
     * null if the package came from no card. Prompts replace the macros of cards alone.
     */
    nickname: p.text().nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});

/** The bytes of a file, stored once for all packages that contain them. */
export const PackageBlob = defineEntity({
  name: "package_blobs",
  properties: {
    /** In hexadecimal. */
    sha256: p.text().primary(),
    size: p.integer(),
    bytes: p.blob(),
  },
});

/** A file of a package: its path and its bytes. */
export const PackageFile = defineEntity({
  name: "package_files",
  properties: {
    package: () => p.manyToOne(SoulPackage).primary().deleteRule("cascade"),
    path: p.text().primary(),
    blob: () => p.manyToOne(PackageBlob).fieldName("sha256").index(),
  },
});
