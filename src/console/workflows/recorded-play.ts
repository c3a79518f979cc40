import type { PlayEvent, TimelineEvent } from "../api-types.ts";

/** A call of a session, as the play of a workflow takes it. */
export type RecordedCall = {
  tool: string;
  arguments: Record<string, unknown>;
  result: unknown;
  error: string | null;
};

/** The tool calls of a session, in their order, without those of its opening: there nobody has answered yet. */
export const recordedCalls = (events: readonly TimelineEvent[]): RecordedCall[] =>
  events.flatMap(({ kind, label, tool_request, tool_result, tool_error, turn_index }) => {
    if (kind !== "tool" || label == null || !turn_index) return [];
    const call = { tool: label, arguments: argumentsOf(parsed(tool_request)) };
    return [{ ...call, result: parsed(tool_result), error: tool_error ?? null }];
  });

/** A request to a service holds the arguments beside its address; another call is its arguments. */
function argumentsOf(request: unknown): Record<string, unknown> {
  if (typeof request !== "object" || request === null || Array.isArray(request)) return {};
  const given = "url" in request && "arguments" in request ? request.arguments : request;
  return given as Record<string, unknown>;
}

function parsed(text: string | null | undefined): unknown {
  if (text == null || text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * What happened next in a session, where the play stands now: the answer of the tool that is awaited, or the next submission.
 * `taken`: the places of the calls that were played already. Null: the recording has nothing more for this workflow.
 */
export function nextRecorded(
  calls: readonly RecordedCall[],
  taken: readonly (number | null)[],
  stand: { awaits: string | null; submit: string; isOver: boolean },
): { event: PlayEvent; place: number } | null {
  const isFree = (place: number) => !taken.includes(place);
  const find = (fits: (call: RecordedCall) => boolean) =>
    calls.findIndex((call, place) => isFree(place) && fits(call));
  if (stand.awaits !== null) {
    const place = find(({ tool }) => tool === stand.awaits);
    const call = calls[place];
    return call ? { place, event: { type: "called", result: call.result, error: call.error } } : null;
  }
  if (stand.isOver) return null;
  const place = find(({ tool }) => tool === stand.submit || tool === "go_to_step");
  const call = calls[place];
  if (!call) return null;
  return call.tool === "go_to_step"
    ? { place, event: { type: "go_to_step", step_id: String(call.arguments.step_id ?? "") } }
    : { place, event: { type: "submit", arguments: call.arguments } };
}
