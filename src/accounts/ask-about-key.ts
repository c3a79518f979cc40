import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { unreachable } from "../base/errors.ts";
import type { Egress } from "../egress/egress.ts";
import { failureWords } from "../egress/egress-failure.ts";
import { KEY_CHECK_MS, type KeyVerdict, keyVerdict } from "../llm/key-check.ts";

/** A service's verdict on a key. */
export const KeyTested = z.object({
  verdict: z.enum(["good", "refused", "unclear", "unreachable"]),
  message: z.string(),
  duration_ms: z.number(),
});

/** `isTrusted`: the key is the installation's, whose address may be private; one that an organization names is guarded. */
type Asking = { egress: Egress; caller: Caller; isTrusted: boolean };

export async function askAboutKey(
  { egress, caller, isTrusted }: Asking,
  question: KeyQuestion,
): Promise<z.output<typeof KeyTested>> {
  const begun = performance.now();
  const shown = isTrusted && !isOperator(caller) ? "The installation's server" : new URL(question.url).host;
  const answer = await (isTrusted ? askDirectly : askGuarded(egress))(question, shown);
  return { ...answer, duration_ms: performance.now() - begun };
}

type Asked = KeyVerdict | { verdict: "unreachable"; message: string };
/** A request that a service answers with 200 to a good key. */
export type KeyQuestion = { url: string; headers: Record<string, string> };

const isOperator = (caller: Caller): boolean => caller.permissions.has("platform_admin");

/** `host`: as the answer names it. */
async function askDirectly({ url, headers }: KeyQuestion, host: string): Promise<Asked> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(KEY_CHECK_MS) });
    await response.body?.cancel();
    return keyVerdict(host, response.status);
  } catch (error) {
    // The cause names an address.
    const why = host === new URL(url).host ? `: ${failureWords((error as Error).cause ?? error, host)}` : "";
    return { verdict: "unreachable", message: `${host} can't be reached${why}.` };
  }
}

const askGuarded =
  (egress: Egress) =>
  async ({ url, headers }: KeyQuestion, host: string): Promise<Asked> => {
    const answer = await egress.send({
      url,
      method: "GET",
      headers,
      timeout_ms: KEY_CHECK_MS,
      max_response_bytes: 1_000_000,
    });
    switch (answer.kind) {
      case "response":
      case "redirect":
        return keyVerdict(host, answer.status);
      case "timeout":
        return { verdict: "unreachable", message: `${host} did not answer within ${KEY_CHECK_MS / 1000} s.` };
      case "refused":
      case "failed":
        return { verdict: "unreachable", message: `${host} can't be reached: ${answer.reason}.` };
      default:
        return unreachable(answer);
    }
  };
