import { done, failed, type ToolContext, type ToolOutcome, type ToolParts } from "./tool-outcome.ts";

/** Books a call at the time that the person named. Booked with the turn, so that a turn that is lost promises nothing. */
export async function callBack(
  { callBacks }: ToolParts,
  { session_id, channel, at }: ToolContext,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  if (session_id === undefined || channel !== "voice")
    return failed("Calls can only be booked on a telephone call.", values);
  const plan = await callBacks.plan(session_id, String(values.when ?? ""), at);
  if (plan.kind === "refused") return failed(plan.text, values);
  const { text, timezone } = plan;
  return done(
    { booked: true, at: plan.at.toISOString(), message: text },
    { call_back: { at: plan.at, timezone } },
    values,
  );
}
