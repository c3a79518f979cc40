import type { ModelRoundResponse } from "../api-types.ts";

/** A round as text, to be read, copied and compared line by line with another. */
export function sentText({ messages, tools, tool_choice, temperature, seed }: ModelRoundResponse): string {
  const settings = [
    `tool choice: ${typeof tool_choice === "string" ? tool_choice : JSON.stringify(tool_choice)}`,
    ...(temperature === null ? [] : [`temperature: ${temperature}`]),
    ...(seed === null ? [] : [`seed: ${seed}`]),
  ];
  return [
    ...messages.map((message) => `── ${headOf(message)}\n${bodyOf(message)}`),
    ...tools.map(
      ({ name, description, parameters }) =>
        `── tool offered: ${name}\n${description}\n${JSON.stringify(parameters, null, 2)}`,
    ),
    `── settings\n${settings.join("\n")}`,
  ].join("\n\n");
}

type Message = ModelRoundResponse["messages"][number];

const ROLES: Record<Message["role"], string> = {
  system: "instructions",
  user: "user",
  assistant: "agent",
  tool: "result of",
};

const headOf = ({ role, tool_name, is_error }: Message): string =>
  [ROLES[role], tool_name, is_error && "(failed)"].filter(Boolean).join(" ");

function bodyOf({ role, text, calls, result }: Message): string {
  if (role === "tool") return typeof result === "string" ? result : JSON.stringify(result ?? null, null, 2);
  const called = (calls ?? []) as { name: string; arguments: unknown }[];
  return [text, ...called.map((call) => `calls ${call.name} ${JSON.stringify(call.arguments)}`)]
    .filter(Boolean)
    .join("\n");
}

/** What came of a round. */
export function answerFacts(round: ModelRoundResponse): [string, string | null][] {
  const { usage, calls, retries } = round;
  const tokens =
    usage && usage.input_tokens !== null ? `${usage.input_tokens} in, ${usage.output_tokens} out` : null;
  const broken = calls.filter(({ arguments_error }) => arguments_error);
  return [
    ["Model", `${round.provider}/${round.model}`],
    ["Answer", round.text || null],
    ["Calls", calls.map(({ name }) => name).join(", ") || null],
    ["Finish reason", round.finish],
    ["Error", round.error],
    ["Request ID", round.request_id],
    ["Retries", retries.map(({ asked, because }) => `${asked}: ${because}`).join("\n") || null],
    [
      "Broken arguments",
      broken
        .map(
          ({ name, arguments_error, arguments_text = "" }) => `${name}: ${arguments_error} ${arguments_text}`,
        )
        .join("\n") || null,
    ],
    ["Tokens", tokens],
    ["Warnings", round.warnings.join("\n") || null],
  ];
}
