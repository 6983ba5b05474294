/** The public interface of the package. The server and the page draw sigils with it. */

export { drawSigil, SIGIL_SIZE } from "./draw-sigil.ts";
