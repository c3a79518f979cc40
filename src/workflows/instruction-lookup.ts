import type { Snapshot } from "../agents/snapshot.ts";
import { isPlainText, quotedData } from "../expressions/quoted-data.ts";
import type { Lookup } from "../expressions/template.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";

/** What a visitor wrote about themselves; tools get it as it is. */
const CLAIMS = new Set(["vars.session.claimed_user", "vars.session.user_name"]);

/** Begins the names of what a visitor's page says of itself. */
export const PAGE = "vars.page.";

/** Whether the author of the agent wrote this text, word for word. */
export type IsAuthored = (text: string) => boolean;

/**
 * Variables as instructions to the model name them: of prompts, steps and tools' descriptions. What tools, workflows and
 * callers set is put in quotes where it is more than a plain text on one line, so that it reads as a value and not as one
 * more instruction; what a visitor says of themselves always is. Authors' own texts stay as they wrote them.
 */
export const instructionLookup =
  (lookup: Lookup, isAuthored: IsAuthored = () => false): Lookup =>
  (name) => {
    const value = lookup(name);
    if (typeof value !== "string") return quotedData(value);
    if (value === "") return value;
    const key = name.startsWith("vars.") ? name : `vars.${name}`;
    if (CLAIMS.has(key) || key.startsWith(PAGE)) return quotedData(value);
    return isPlainText(value) || isAuthored(value) ? value : quotedData(value);
  };

type Authored = Pick<Snapshot, "outreach_texts"> & {
  agent?: Pick<Snapshot["agent"], "variables">;
  tools: readonly { definition: ToolDefinition }[];
};

/**
 * What the author of an agent wrote: its variables, those of the campaign and the request, and what a workflow sets word
 * for word. It goes by the text, not by the variable: a tool may have set that since.
 */
export function authoredTexts(snapshot: Authored): IsAuthored {
  let texts: Set<string> | undefined;
  return (text) => {
    texts ??= new Set([
      ...Object.values(snapshot.agent?.variables ?? {}),
      ...(snapshot.outreach_texts ?? []),
      ...snapshot.tools.flatMap(({ definition }) => textsIn(definition.context)),
    ]);
    return texts.has(text);
  };
}

/** Every text within a document, however deep. */
function textsIn(document: unknown): string[] {
  const found: string[] = [];
  const open = [document];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") found.push(value);
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) open.push(inner);
  }
  return found;
}
