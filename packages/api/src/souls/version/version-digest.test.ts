import { describe, expect, it } from "vitest";
import { versionDigest } from "./version-digest.ts";

/**
 * The digest of a version (0036). The expected values were computed with Python's json and hashlib:
 * `json.dumps(manifest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))`.
 */
describe("versionDigest", () => {
  const markdown = {
    title: "A soul",
    description: "",
    content: "# Be kind",
    file_type: "single_md",
  };
  const ofMarkdown = "sha256:21a4ff28943e487b5a6841f46be0dc4dc76c05c686cf97b4dbc52710234817d4";
  /** Every kind of escape, names that numeric order would exchange, and an empty file. */
  const folder = {
    title: "Größe “𝄞”\u2028\u007f/",
    description: 'tab\t quote" back\\ line\n\r\b\f\x1f€',
    content: JSON.stringify({
      "SOUL.md": "é\r\n",
      "STYLE.md": "",
      "a.md": "x",
      "B.md": "x",
      "10.md": "ten",
      "9.md": "nine",
    }),
    file_type: "full_soul_folder",
  };

  it("is the SHA-256 of the canonical manifest", () => {
    expect(versionDigest(markdown)).toBe(ofMarkdown);
    expect(versionDigest(folder)).toBe(
      "sha256:c87f1292353a30bd144457f2aab6aa4f272ea555ad2b8b4462966b62a57a623c",
    );
  });

  it("counts one Markdown as the file SOUL.md", () => {
    const content = '{ "SOUL.md": "# Be\\u0020kind" }';
    expect(versionDigest({ ...markdown, content, file_type: "full_soul_folder" })).toBe(ofMarkdown);
  });

  it("does not take Markdown that looks like a folder apart", () => {
    expect(versionDigest({ ...markdown, content: '{"SOUL.md": "# Be kind"}' })).not.toBe(
      ofMarkdown,
    );
  });

  it("does not depend on the order or the white space of the files in the content", () => {
    const { content } = folder;
    const reversed = Object.fromEntries(Object.entries(JSON.parse(content)).reverse());
    expect(versionDigest({ ...folder, content: JSON.stringify(reversed, null, 2) })).toBe(
      versionDigest(folder),
    );
  });

  it("covers title, description, file names and texts", () => {
    const changed = [
      markdown,
      { ...markdown, title: "A soul " },
      { ...markdown, description: " " },
      { ...markdown, content: "# Be kind\n" },
      { ...markdown, content: '{"soul.md": "# Be kind"}', file_type: "full_soul_folder" },
      {
        ...markdown,
        content: '{"SOUL.md": "# Be kind", "STYLE.md": ""}',
        file_type: "full_soul_folder",
      },
      // A text that moves from one field to the other.
      { ...markdown, title: "", description: "A soul" },
    ].map(versionDigest);
    expect(new Set(changed).size).toBe(changed.length);
  });
});
