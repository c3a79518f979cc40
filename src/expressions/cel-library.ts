import { createRequire } from "node:module";

type CelLibrary = typeof import("@bufbuild/cel") & typeof import("@bufbuild/cel/ext");

const require = createRequire(import.meta.url);
let library: CelLibrary | undefined;

/**
 * The library of CEL, read by the first expression that is written in it: most installations have none, and it takes 8 MiB of a
 * resting program (docs/decisions/0222). By `require`, because expressions are checked and run without waiting.
 */
export const celLibrary = (): CelLibrary => {
  library ??= { ...require("@bufbuild/cel"), ...require("@bufbuild/cel/ext") } as CelLibrary;
  return library;
};
