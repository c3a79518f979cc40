import type { RecordedAnswer, SnapshotTool } from "../agents/snapshot.ts";
import { isRecord } from "../expressions/member.ts";
import { failed, type ToolContext, type ToolOutcome, type ToolParts } from "./tool-outcome.ts";

/**
 * In a replay: the answer that the tool gave in the recorded session to a call like this one. Calls that are alike get their
 * answers in order, and the last answer again where there are more of them than before. null: no call was like this one.
 */
export async function answerFromRecording(
  { db }: Pick<ToolParts, "db">,
  { snapshot, session_id }: Pick<ToolContext, "snapshot" | "session_id">,
  tool: SnapshotTool,
  values: Record<string, unknown>,
): Promise<ToolOutcome | null> {
  const recorded = snapshot.test?.recorded ?? [];
  const alike = answersTo(recorded, tool.name, values);
  if (alike.length === 0 || session_id === undefined) return null;
  // Another process may have made the earlier calls, so they are counted where they are stored.
  const given =
    alike.length === 1
      ? []
      : await db
          .selectFrom("session_tool_calls")
          .select("request")
          .where("session_id", "=", session_id)
          .where("tool_name", "=", tool.name)
          .execute();
  const used = given.filter(({ request }) => alike.includes(answerNumber(request) ?? -1)).length;
  const index = alike[Math.min(used, alike.length - 1)] as number;
  const { result, whole, error } = recorded[index] as RecordedAnswer;
  const request = { recorded: index + 1, arguments: values };
  const note = {
    category: "note" as const,
    label: `${tool.name} was answered from the recording (call ${index + 1})`,
  };
  if (error !== null) return { ...failed(error, request, [note]), result };
  const answer = { prepared: values, request, result, error: null, effects: {}, trace: [note] };
  return whole === undefined ? answer : { ...answer, whole };
}

/** The places of the answers to calls that are alike. Pure. */
function answersTo(
  recorded: readonly RecordedAnswer[],
  tool: string,
  values: Record<string, unknown>,
): number[] {
  const wanted = comparable(values);
  return recorded.flatMap((answer, at) =>
    answer.tool === tool && comparable(answer.arguments) === wanted ? [at] : [],
  );
}

/** The place of the answer that a stored call got; null where it was not answered from the recording. */
function answerNumber(request: unknown): number | null {
  const number = isRecord(request) ? request.recorded : null;
  return typeof number === "number" ? number - 1 : null;
}

/** A model writes "Ada  byron" where it wrote "Ada Byron" before; a service would have answered both alike. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "string") return part.trim().replace(/\s+/g, " ").toLowerCase();
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
