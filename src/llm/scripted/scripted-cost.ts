import { MAX_INSTRUCTIONS, MAX_INSTRUCTIONS_TOGETHER, patternSize } from "../../base/pattern.ts";
import { LONGEST_SCRIPT, scriptsIn } from "./scripted-rules.ts";

/** A pattern of a rule that the scripted model would refuse to run, and the line of the prompt where it stands. */
type CostlyPattern = { pattern: string; line: number; message: string };

/** More than anyone mends in one go. */
const MOST = 20;

/** Texts in quotes and comments, in which a slash begins nothing, and patterns. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"?|#[^\n]*|\/((?:[^/\\\n]|\\.)+)\//g;

/**
 * The patterns in a prompt's rules that are too large. Nothing is compiled, so that a list of a thousand prompts can say it
 * of each. A rule that can't be read for another reason is left to the model: placeholders aren't filled yet.
 */
export function costlyPatterns(prompt: string): CostlyPattern[] {
  const found: CostlyPattern[] = [];
  let together = 0;
  let characters = 0;
  for (const { source, at } of scriptsIn(prompt)) {
    characters += source.length;
    // The model reads none of it then.
    if (characters > LONGEST_SCRIPT) return [];
    for (const { 1: escaped, index } of source.matchAll(TOKEN)) {
      if (escaped === undefined) continue;
      const pattern = escaped.replaceAll("\\/", "/");
      const size = patternSize(pattern);
      together += Math.min(size, MAX_INSTRUCTIONS_TOGETHER + 1);
      const alone = size > MAX_INSTRUCTIONS;
      if (!alone && together <= MAX_INSTRUCTIONS_TOGETHER) continue;
      const line = prompt.slice(0, at + index).split("\n").length;
      const excess = alone ? TOO_LARGE : TOO_LARGE_TOGETHER;
      found.push({ pattern, line, message: `The pattern in line ${line} of the prompt ${excess}` });
      if (!alone || found.length === MOST) return found;
    }
  }
  return found;
}

const TOO_LARGE =
  "is too large. Use smaller counts in repetitions such as {0,1000}, or words in quotes instead of a pattern.";
const TOO_LARGE_TOGETHER =
  "is one too many: together, the patterns of the rules are too large. Use words in quotes instead of some of them.";
