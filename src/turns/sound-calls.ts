import { randomBase62 } from "../base/ids.ts";
import type { ToolCall } from "../llm/model.ts";

/** More at once is no plan of a model but a loop; each would be a request to somebody's service. */
export const MOST_CALLS = 32;

/**
 * The calls of one answer as they can be run and told to the model again. Some servers give every call the same id, or
 * none, and providers refuse a conversation that holds one twice: every later turn of it would fail. Pure but for new ids.
 */
export function soundCalls(
  given: readonly ToolCall[],
  knownIds: Iterable<string>,
): { calls: ToolCall[]; note: string | null } {
  const ids = new Set(knownIds);
  const calls = given.slice(0, MOST_CALLS).map((call) => {
    const id = call.id === "" || ids.has(call.id) ? `call_${randomBase62(24)}` : call.id;
    ids.add(id);
    return { ...call, id };
  });
  const note =
    given.length > MOST_CALLS
      ? `the model made ${given.length} calls at once; only the first ${MOST_CALLS} were run`
      : null;
  return { calls, note };
}
