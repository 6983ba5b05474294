export { alignedRows } from "./aligned-rows.ts";
export { Failure, REFUSED } from "./failure.ts";
export { runProgram } from "./run-program.ts";
export { wholeNumber } from "./whole-number.ts";
