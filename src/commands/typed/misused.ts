import { type ParseArgsConfig, parseArgs } from "node:util";
import { errorText, Fault } from "../../base/errors.ts";

/** The command line itself is wrong: the program ends with code 2, and nothing was done. */
export class Misused extends Fault {
  constructor(message: string) {
    super("refused", message);
  }
}

/** Node's reader of options, with its errors as those of the person who typed. */
export function parseTyped<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Misused(errorText(error));
  }
}
