import { done, failed, type ToolContext, type ToolOutcome } from "./tool-outcome.ts";

/** The built-in tools of telephone calls. */
export function runCallTool(
  context: ToolContext,
  name: string,
  values: Record<string, unknown>,
): ToolOutcome {
  const { call } = context;
  if (!call) return failed(`${name} is only available on voice.`, values);
  switch (name) {
    case "check_voicemail":
      // While nothing is known the model is told so, and can judge by the words it hears.
      return done({ voicemail: call.answerer === null ? "unknown" : VOICEMAIL[call.answerer] }, {}, values);
    case "leave_voicemail": {
      if (!call.is_outbound) return failed("This call came in; there is no voicemail on it.", values);
      const message = typeof values.message === "string" ? values.message.trim() : "";
      const speech = message === "" ? call.greeting() : message;
      if (!speech) return failed("Say what the message is; the agent has none of its own.", values);
      const action = { action: "hangup", reason: "Left a voicemail", voicemail: true } as const;
      return done({ status: "leaving" }, { speech, answerer: "MACHINE", action }, values);
    }
    case "deliver_greeting": {
      const speech = call.greeting();
      if (!speech) return failed("The agent has no greeting; greet the person yourself.", values);
      return done({ status: "delivered" }, { speech, answerer: "HUMAN" }, values);
    }
    case "send_dtmf": {
      const keys = String(values.digits ?? "").toLowerCase();
      if (!/^[0-9*#w]+$/.test(keys)) return failed("digits are made of 0 to 9, *, # and w.", values);
      const event = {
        category: "automation",
        type: "dtmf-sent",
        description: `Pressed ${keys}`,
        attributes: { digits: keys },
      } as const;
      return done({ status: "sent" }, { keys, event }, values);
    }
    default:
      return failed(`${name} is not available in this session.`, values);
  }
}

const VOICEMAIL = { HUMAN: "no", MACHINE: "yes", UNKNOWN: "unknown", SCREENER: "no" } as const;
