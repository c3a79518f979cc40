import { type Pattern, PatternMeter } from "../../base/pattern.ts";

/**
 * The patterns that the scripted model runs, of rules and of tools' parameters. Answering never waits, so there is one
 * meter, that of the answer under way: however many rules hear however long a text, everybody else goes on.
 */
let meter = new PatternMeter();

export function startAnswer(): void {
  meter = new PatternMeter();
}

/** Throws a `PatternError`, as do all of these. */
export const compile = (source: string, options?: { ignoreCase?: boolean }): Pattern =>
  meter.compile(source, options);

export function matcherOf(pattern: Pattern, text: string): ReturnType<Pattern["program"]["matcher"]> {
  meter.spend(pattern, text);
  return pattern.program.matcher(text);
}
