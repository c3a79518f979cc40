import { cutTo } from "../base/storable.ts";
import type { EgressOutcome } from "../egress/egress.ts";
import { HIDDEN, SECRET_NAME, secretsOf, withoutSecrets } from "./hidden-credentials.ts";

/** One HTTP request of a tool call with its answer, as an author reads it: complete but for secrets. */
export type ToolExchange = {
  at: string;
  duration_ms: number;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  outcome: EgressOutcome["kind"] | "no-auth";
  status: number | null;
  answer_headers: Record<string, string> | null;
  answer: string | null;
  /** Why there is no answer. */
  problem: string | null;
};

/** As much of a body as is kept: what the model reads of an answer. */
const MOST_KEPT_CHARACTERS = 64 * 1024;

export type ExchangedRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** `proof`: the headers that are credentials. Their values are hidden wherever they occur. */
export function toolExchange(
  request: ExchangedRequest,
  outcome: EgressOutcome | { kind: "no-auth"; reason: string },
  { started, duration_ms, proof }: { started: Date; duration_ms: number; proof: Record<string, string> },
): ToolExchange {
  const secrets = spelled([...Object.values(proof), ...secretsOf(proof, SHORTEST_VALUE)]);
  const clean = (text: string) => withoutSecrets(text, secrets);
  const answered = outcome.kind === "response" ? outcome : null;
  return {
    at: started.toISOString(),
    duration_ms: Math.round(duration_ms * 100) / 100,
    method: request.method,
    url: clean(hiddenInUrl(request.url)),
    headers: hiddenHeaders(request.headers, clean),
    body: request.body === undefined ? null : kept(clean(request.body)),
    outcome: outcome.kind,
    status: "status" in outcome ? outcome.status : null,
    answer_headers: answered && hiddenHeaders(answered.headers, clean),
    answer: answered && kept(clean(new TextDecoder().decode(answered.body))),
    problem: "reason" in outcome ? clean(outcome.reason) : null,
  };
}

const hiddenHeaders = (headers: Record<string, string>, clean: (text: string) => string) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      SECRET_NAME.test(name) ? HIDDEN : clean(value),
    ]),
  );

function hiddenInUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const secret = [...url.searchParams.keys()].filter((name) => SECRET_NAME.test(name));
  if (secret.length === 0 && url.username === "" && url.password === "") return text;
  for (const name of secret) url.searchParams.set(name, HIDDEN);
  url.username = "";
  url.password = "";
  return url.toString();
}

/** Shorter ones would hide ordinary words. */
const SHORTEST_VALUE = 6;

/** As they are, and as JSON writes them. */
const spelled = (values: string[]): string[] =>
  values
    .filter((value) => value.length >= SHORTEST_VALUE)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);

const kept = (text: string): string =>
  text.length > MOST_KEPT_CHARACTERS
    ? `${cutTo(text, MOST_KEPT_CHARACTERS)}… [cut: ${text.length} characters in all]`
    : text;
