import type { TestMessage } from "../../sdk/typescript/operations.ts";
import { Misused, parseTyped } from "./typed/misused.ts";

/** What a conversation in the terminal begins with, as the fields of the test operation. */
type ChatStart = Pick<TestMessage, "source" | "variables" | "language" | "channel" | "override_timestamp">;

export type ChatArguments = {
  wanted: string | undefined;
  json: boolean;
  withTrace: boolean;
  start: ChatStart;
};

/** The flags of `./parley chat` that a value follows. */
export const CHAT_VALUE_FLAGS = ["--var", "--at", "--language", "--channel", "--caller"];

export function chatArguments(args: string[]): ChatArguments {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1)
    throw new Misused(`Name one agent; write names with spaces in quotes: "${positionals.join(" ")}".`);
  const { at, language, channel, caller } = values;
  const variables = Object.fromEntries((values.var ?? []).map(variable));
  return {
    wanted: positionals[0],
    json: values.json ?? false,
    withTrace: !values["no-trace"],
    start: {
      source: caller ?? "terminal",
      ...(values.var && { variables }),
      ...(language !== undefined && { language }),
      // The API says which channels there are.
      ...(channel !== undefined && { channel: channel as NonNullable<TestMessage["channel"]> }),
      ...(at !== undefined && { override_timestamp: localTimestamp(at) }),
    },
  };
}

const parsed = (args: string[]) =>
  parseTyped({
    args,
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      "no-trace": { type: "boolean" },
      var: { type: "string", multiple: true },
      at: { type: "string" },
      language: { type: "string" },
      channel: { type: "string" },
      caller: { type: "string" },
    },
  });

function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Misused(`Write a variable as name=value: --var plan=gold, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The agent's clock, in its own time zone. */
function localTimestamp(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text)) {
    const whole = text.length === 16 ? `${text}:00` : text;
    if (!Number.isNaN(Date.parse(`${whole}Z`))) return whole;
  }
  throw new Misused(`Write date and time as 2026-12-24T18:00, not "${text}".`);
}
