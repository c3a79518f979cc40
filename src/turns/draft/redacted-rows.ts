import type { Redactor } from "../../redaction/redactor.ts";
import type { StoredCall, TurnRows } from "./turn-rows.ts";

function redactedCall(redactor: Redactor, call: StoredCall): StoredCall {
  const {
    arguments: given,
    request,
    result,
    whole_result,
    error,
    display_result,
    provider_data,
    ...rest
  } = call;
  const words = { arguments: given, request, result, whole_result, error, display_result, provider_data };
  return { ...rest, ...redactor.redact(words) };
}

/** All that a turn adds, as it is stored. The tools that a model was offered are their author's words. */
export function redactedRows<T extends TurnRows>(redactor: Redactor, rows: T): T {
  if (redactor.rules === null) return rows;
  return {
    ...rows,
    messages: rows.messages.map((message) => ({ ...message, text: redactor.redact(message.text) })),
    calls: rows.calls.map((call) => redactedCall(redactor, call)),
    trace: rows.trace.map(({ label, metadata, details, ...entry }) => ({
      ...entry,
      ...redactor.redact({ label, ...(metadata && { metadata }), ...(details && { details }) }),
    })),
    events: rows.events.map(({ description, attributes, ...event }) => ({
      ...event,
      ...redactor.redact({ description, ...(attributes && { attributes }) }),
    })),
    opt_outs: rows.opt_outs.map((opt_out) => ({ ...opt_out, said: redactor.redact(opt_out.said) })),
    rounds: rows.rounds.map(({ request: { messages, ...request }, calls, text, error, ...round }) => ({
      ...round,
      ...redactor.redact({ calls, text, error }),
      request: { ...request, messages: redactor.redact(messages) },
    })),
    exchanges: rows.exchanges.map(({ exchanges, ...call }) => ({
      ...call,
      exchanges: redactor.redact(exchanges),
    })),
  };
}
