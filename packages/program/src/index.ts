export { alignedRows } from "./aligned-rows.ts";
export { assertHub, memberOf } from "./assert-hub.ts";
export { Failure, REFUSED } from "./failure.ts";
export { guardStdout } from "./guard-stdout.ts";
export { needNode } from "./need-node.ts";
export { type Printer, type Program, type Report, runProgram } from "./run-program.ts";
export { wholeNumber } from "./whole-number.ts";
