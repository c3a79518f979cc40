import { Writable } from "node:stream";

/** pino's number for a warning. */
const WARNING = 40;

/**
 * Lines of the log that wait while a text for a person is written in pieces, so that the text stays one block on a terminal.
 * Warnings and errors don't wait. `print` makes of a line what is shown.
 */
export function heldLines(to: NodeJS.WritableStream, print = (line: string) => line) {
  let held: string[] | null = null;
  const stream = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      const level = Number(/"level":(\d+)/.exec(line)?.[1] ?? WARNING);
      if (held && level < WARNING) held.push(line);
      else to.write(print(line));
      done();
    },
  });
  return {
    stream,
    hold() {
      held ??= [];
    },
    /** Writes what waited. */
    release() {
      const lines = held ?? [];
      held = null;
      for (const line of lines) to.write(print(line));
    },
  };
}
