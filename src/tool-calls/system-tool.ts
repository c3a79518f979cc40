import { callBack } from "./call-back-tool.ts";
import { runCallTool } from "./call-tools.ts";
import { optOut } from "./opt-out-tool.ts";
import { searchSources } from "./search-tool.ts";
import {
  done,
  failed,
  offersLanguage,
  type ToolContext,
  type ToolOutcome,
  type ToolParts,
} from "./tool-outcome.ts";
import { transfer } from "./transfer-tool.ts";

/** The built-in tools. The model gets an error in words for anything the channel or installation can't do. */
export function runSystemTool(
  parts: ToolParts,
  context: ToolContext,
  name: string,
  values: Record<string, unknown>,
): ToolOutcome | Promise<ToolOutcome> {
  switch (name) {
    case "hangup": {
      const reason = typeof values.reason === "string" ? values.reason : null;
      const event = {
        category: "automation",
        type: "hangup",
        description: reason ?? "The agent ended the session",
      } as const;
      return done({ action: "hangup" }, { action: { action: "hangup", reason }, event }, values);
    }
    case "get_current_datetime": {
      const { datetime, date, time, day_of_week, timezone } = context.now;
      return done({ datetime, date, time, day_of_week, timezone });
    }
    case "set_current_language":
      return setLanguage(context, values);
    case "transfer":
      return transfer(parts, context, values);
    case "data_source_search":
      return searchSources(parts, context, values);
    case "opt_out":
      return optOut(context, values);
    case "call_back":
      return callBack(parts, context, values);
    case "check_voicemail":
    case "leave_voicemail":
    case "deliver_greeting":
    case "send_dtmf":
      return runCallTool(context, name, values);
    default:
      return failed(`${name} is not available in this session.`, values);
  }
}

function setLanguage(context: ToolContext, values: Record<string, unknown>): ToolOutcome {
  const code = String(values.language ?? "");
  const offered =
    context.snapshot.language_group?.language_configs.map((config) => config.language_code) ?? [];
  if (!offersLanguage(context.snapshot, code) || code === "") {
    return failed(
      `This agent does not speak ${code || "that"}; it speaks ${offered.join(", ") || "one language"}.`,
      values,
    );
  }
  const event = {
    category: "automation",
    type: "language-change",
    description: `Language changed from ${context.language} to ${code}`,
    attributes: { from: context.language, to: code },
  } as const;
  return done({ language: code }, { language: code, event }, values);
}
