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

type NamedDefinition = { name: string; definition: ToolDefinition };

/** A prompt follows a tool that is renamed, since it knows its id. Workflows know names in expressions, too, and are left behind. */
export async function renamedInUse(
  db: Db,
  caller: Caller,
  id: number,
  before: NamedDefinition,
  after: NamedDefinition,
): Promise<Issue[]> {
  const gone = [...callableNames(before).difference(callableNames(after))];
  const others = gone.length > 0 ? await toolsMentioning(db, caller, gone, id) : [];
  return gone.flatMap((name): Issue[] => {
    const users = others.filter((other) => mentionedNames(other.definition).called.includes(name));
    return users.length === 0
      ? []
      : [
          {
            id: "renamed-tool-in-use",
            severity: "warning",
            message: `"${name}" is used by ${listed(users.map((user) => user.name))}. Change the name there too, or the calls fail.`,
            path: ["tool", "function", "name"],
            value: name,
          },
        ];
  });
}

/** What workflows can call of a tool: itself, and its tasks. */
const callableNames = ({ name, definition }: NamedDefinition): Set<string> =>
  new Set([name, ...mentionedNames(definition).shown]);

const listed = (names: string[]): string =>
  `the workflow${names.length === 1 ? "" : "s"} ${new Intl.ListFormat("en").format(names)}`;
