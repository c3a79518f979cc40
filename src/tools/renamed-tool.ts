import type { Caller } from "../api/caller.ts";
import type { AuditedStamp } from "../api/server.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Issue } from "../schemas/validation-issue.ts";
import { mentionedNames } from "./issues/tool-issues.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { toolsMentioning } from "./tool-store.ts";

/** Rooms that know tools by their names follow when one is renamed, in the same transaction. */
export type FollowsToolName = (
  tx: Tx,
  by: AuditedStamp,
  renamed: { from: string; to: string },
) => Promise<void>;

/** What counts sessions by the names of the tools that were called in them. */
export type WatchesTools = (
  db: Db,
  caller: Caller,
  names: readonly string[],
) => Promise<{ kind: "alert" | "board" | "view"; name: string; tool_name: string }[]>;

type NamedDefinition = { name: string; definition: ToolDefinition };

/** A prompt follows a tool that is renamed, since it knows its id. Workflows know names in expressions, too, and are left behind. */
export async function renamedInUse(
  db: Db,
  caller: Caller,
  id: number,
  [before, after]: [NamedDefinition, NamedDefinition],
  watchingTools: WatchesTools,
): Promise<Issue[]> {
  const gone = [...callableNames(before).difference(callableNames(after))];
  if (gone.length === 0) return [];
  const others = await toolsMentioning(db, caller, gone, id);
  const watching = await watchingTools(db, caller, gone);
  return gone.flatMap((name): Issue[] => {
    const users = others.filter((other) => mentionedNames(other.definition).called.includes(name));
    const watchers = watching.filter(({ tool_name }) => tool_name === name);
    const finding = (message: string): Issue => ({
      id: "renamed-tool-in-use",
      severity: "warning",
      message,
      path: ["tool", "function", "name"],
      value: name,
    });
    return [
      users.length > 0 &&
        finding(
          `"${name}" is used by ${listed(users.map((user) => user.name))}. Change the name there too, or the calls fail.`,
        ),
      watchers.length > 0 &&
        finding(
          `"${name}" is looked for by ${inWords(watchers.map((one) => `the ${one.kind} ${one.name}`))}. Change the name there too, or no new session is found.`,
        ),
    ].filter((found) => found !== false);
  });
}

/** What workflows can call of a tool: itself, and its tasks. */
const callableNames = ({ name, definition }: NamedDefinition): Set<string> =>
  new Set([name, ...mentionedNames(definition).shown]);

const listed = (names: string[]): string => `the workflow${names.length === 1 ? "" : "s"} ${inWords(names)}`;

const inWords = (names: string[]): string => new Intl.ListFormat("en").format(names);
