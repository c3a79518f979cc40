import { sha256 } from "../base/crypto.ts";
import type { Snapshot, SnapshotTool } from "./snapshot.ts";

/**
 * What an agent is made of, part by part, by names that a reader knows; pure. Numbers of versions and of records are no part of
 * it: what was saved again unchanged, or is another record with the same words, behaves the same.
 */
export function partsOf({
  agent,
  prompt,
  tools,
  session_end_tool,
  message,
  language_group,
}: Snapshot): Map<string, unknown> {
  const { id: _, ...settings } = agent;
  return new Map<string, unknown>([
    ["instructions", prompt.context ?? ""],
    ["model", prompt.llm_config],
    ["settings", settings],
    ["greeting", message && withoutId(message)],
    ["languages", language_group && withoutId(language_group)],
    ["tools", tools.map(({ name }) => name)],
    ...tools.map((tool): [string, unknown] => [`tool ${tool.name}`, behaviourOf(tool)]),
    [
      "session end tool",
      session_end_tool && { name: session_end_tool.name, ...behaviourOf(session_end_tool) },
    ],
  ]);
}

const behaviourOf = ({ service_id, definition }: SnapshotTool) => ({ service_id, definition });
const withoutId = <T extends { id: number }>({ id: _, ...rest }: T): Omit<T, "id"> => rest;

/** Two states of an agent with the same fingerprint behave the same. */
export const fingerprintOf = (snapshot: Snapshot): string => sha256(inOrder([...partsOf(snapshot)]));

export type AgentChange = { part: string; before: unknown; after: unknown };

/** The parts that differ, in the order of `partsOf`; one that a side lacks is null there. */
export function changesOf(before: Snapshot, after: Snapshot): AgentChange[] {
  const [was, is] = [partsOf(before), partsOf(after)];
  return [...new Set([...is.keys(), ...was.keys()])]
    .map((part) => ({ part, before: was.get(part) ?? null, after: is.get(part) ?? null }))
    .filter(({ before, after }) => inOrder(before) !== inOrder(after));
}

/** JSON with the names of objects in order; a value that is null is as good as none. */
export const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, own]) => own !== null)
            .toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
