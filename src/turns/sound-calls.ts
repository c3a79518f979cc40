import { randomBase62 } from "../base/ids.ts";
import type { ToolCall } from "../llm/model.ts";

/** The most calls of one answer: more are a loop of the model, and each would be a request to a service. */
export const MOST_CALLS = 32;

/**
 * Makes the calls of one answer safe to run and to repeat in the history. Some servers give all calls the same id, or none,
 * and providers reject a conversation with duplicate ids, so every later turn would fail. Pure but for new ids.
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
