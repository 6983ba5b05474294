import "./exchange.css";
import { lazy } from "react";
import { FileChooser } from "./file-chooser.tsx";

const ImportDialog = lazy(() =>
  import("./import-dialog.tsx").then((module) => ({ default: module.ImportDialog })),
);

/** Takes a soul as a file, and shows what its import would do. */
export function ImportOffer() {
  return (
    <section className="panel row row--apart exchange__offer" aria-label="From a file">
      <p>
        Have one already? A soul package, a character card (PNG, JSON, CHARX) or a Markdown file.
      </p>
      <FileChooser label="From a file" accept=".zip,.png,.json,.charx,.md,.mdc,.txt">
        {(file, close) => <ImportDialog file={file} onClose={close} />}
      </FileChooser>
    </section>
  );
}
