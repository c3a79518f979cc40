import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * What was written behind a tool of this repository (`./parley chaos …`). With `--help` it prints the usage, and with what
 * it doesn't know that and the usage; then the process ends, so that nothing runs or is written by mistake.
 */
export function readToolOptions<const T extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: T,
  { allowPositionals = false }: { allowPositionals?: boolean } = {},
) {
  try {
    const help = { help: { type: "boolean", short: "h" } } as const;
    const { values, positionals } = parseArgs({ options: { ...help, ...options }, allowPositionals });
    if (!(values as { help?: boolean }).help) return { values, positionals };
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`parley: ${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}
