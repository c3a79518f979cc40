import { unreachable } from "../base/errors.ts";
import { jsonExcess } from "../base/json-size.ts";
import { DEEPEST_ANSWER } from "../base/nesting.ts";
import { parseJson } from "../base/parse-json.ts";
import { storableJson } from "../base/storable.ts";
import type { EgressOutcome } from "../egress/egress.ts";
import { type InsightValue, storable } from "../insights/check-answer.ts";
import { retryAfter } from "../insights/retry-policy.ts";
import type { ToolArguments } from "../insights/tool-arguments.ts";
import {
  done,
  failed,
  LATER,
  type ToolRun,
  type ToolRunner,
  type ToolRunOutcome,
} from "../insights/tool-run.ts";
import type { AnalysisSubject, Transcript } from "../insights/transcript.ts";
import { secretsOf, withoutSecrets } from "../tool-calls/hidden-credentials.ts";

const HTTP_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_KEYS = 50;
/** Limited because the key is part of an index. */
const MAX_KEY_CHARACTERS = 255;

/** Sends the transcript to a service; every key of the JSON object it answers is an output. */
export async function runHttpTool(
  { egress, auth }: ToolRunner,
  { tool, subject, signal }: ToolRun<Extract<ToolArguments, { type: "http" }>>,
  transcript: Transcript,
): Promise<ToolRunOutcome> {
  const proof = tool.service_id == null ? null : await auth.headersFor(tool.service_id, tool.url);
  if (proof?.ok === false) return failed(proof.problem);
  const headers = proof?.headers ?? {};
  const outcome = await egress.send({
    url: tool.url,
    method: tool.method ?? "POST",
    headers: {
      accept: "application/json",
      ...lowerCase(tool.headers ?? {}),
      ...lowerCase(headers),
      "content-type": "application/json",
    },
    body: JSON.stringify(serviceBody(subject, transcript)),
    timeout_ms: HTTP_TIMEOUT_MS,
    max_response_bytes: MAX_RESPONSE_BYTES,
    signal,
  });
  // The service revoked the token, so it is dropped and the next try fetches another.
  const isRefused = outcome.kind === "response" && outcome.status === 401 && tool.service_id != null;
  if (isRefused && (await auth.refused(tool.service_id as number, headers))) {
    return failed("The service answered 401.", LATER);
  }
  return readService(outcome, secretsOf(headers));
}

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The transcript in the format of `transcribe`, and the agent's tool calls beside it. */
const serviceBody = (subject: AnalysisSubject, transcript: Transcript) => ({
  session_id: null,
  upload_file_id: null,
  ...subject,
  transcript: transcript.flatMap((entry) =>
    entry.kind === "said" ? [{ role: entry.role, content: entry.text, start_time: entry.start_time }] : [],
  ),
  tool_calls: transcript.flatMap((entry) => {
    if (entry.kind === "said") return [];
    const { kind: _, ...call } = entry;
    return [call];
  }),
});

function readService(outcome: EgressOutcome, secrets: string[]): ToolRunOutcome {
  switch (outcome.kind) {
    case "response":
      break;
    case "redirect":
      return failed(`The service answered with a redirect (${outcome.status}), which is not followed.`);
    case "refused":
      return failed(`The call was refused: ${outcome.reason}`);
    case "timeout":
      return failed(`The service did not answer within ${outcome.after_ms / 1000} s.`, LATER);
    case "failed":
      return failed(`The service could not be reached: ${outcome.reason}`, LATER);
    default:
      return unreachable(outcome);
  }
  const { status, headers, truncated, body } = outcome;
  if (status < 200 || status > 299) {
    return failed(`The service answered ${status}.`, retryAfter(status, headers));
  }
  if (truncated) return failed("The service's answer is larger than 1 MiB and was not read.");
  const values = valuesIn(body.toString("utf8"), secrets);
  return values
    ? done(values)
    : failed(
        `The service's answer is not a JSON object of at most ${MAX_KEYS} keys, each of at most ${MAX_KEY_CHARACTERS} characters, with 50,000 values in all.`,
      );
}

/** Parsing a longer answer would block the event loop for more than 100 ms. */
const MOST_ANSWERED = { levels: DEEPEST_ANSWER, values: 50_000, names: 5_000 };

/** The outputs of every key that has a value; null means none. */
function valuesIn(text: string, secrets: string[]): InsightValue[] | null {
  if (jsonExcess(text, MOST_ANSWERED)) return null;
  let answer: unknown;
  try {
    answer = withoutSecrets(storableJson(parseJson(text)), secrets);
  } catch {
    return null;
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return null;
  const given = Object.entries(answer).filter(([, value]) => value !== null);
  if (given.length > MAX_KEYS || given.some(([key]) => key.length > MAX_KEY_CHARACTERS)) return null;
  return given.map(([key, value]) => ({ key: storable(key), type: typeOf(value), value }));
}

function typeOf(value: unknown): InsightValue["type"] {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value === "boolean" ? "boolean" : typeof value === "string" ? "string" : "object";
}
