import { z } from "zod";
import { unreachable } from "../../base/errors.ts";
import { type CarrierAccount, CarrierFault } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { hideSecrets } from "../../channels/credentials/hide-secrets.ts";
import { askedWait } from "../../egress/asked-wait.ts";
import type { Egress, EgressOutcome } from "../../egress/egress.ts";

export const TELNYX_URL = "https://api.telnyx.com/v2";

/** Longer than Telnyx takes to place a call, shorter than a claim of the dialer lasts. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

type TelnyxRequest<T> = { path: string; body?: object; answer: z.ZodType<T> };

/** One request to Telnyx's API as this account. Throws a `CarrierFault` for all that is no 2xx with this answer. */
export type TelnyxApi = {
  get<T>(account: CarrierAccount, asked: TelnyxRequest<T>): Promise<T>;
  post<T>(account: CarrierAccount, asked: TelnyxRequest<T>): Promise<T>;
  patch<T>(account: CarrierAccount, asked: TelnyxRequest<T>): Promise<T>;
  delete<T>(account: CarrierAccount, asked: TelnyxRequest<T>): Promise<T>;
};

export function createTelnyxApi(egress: Egress, base: string, timeout_ms = TIMEOUT_MS): TelnyxApi {
  async function send<T>(
    { credentials }: CarrierAccount,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    { path, body, answer }: TelnyxRequest<T>,
  ): Promise<T> {
    const outcome = await egress.send({
      url: `${base}${path}`,
      method,
      headers: {
        authorization: `Bearer ${credentials.api_key ?? ""}`,
        accept: "application/json",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      timeout_ms,
      max_response_bytes: MAX_BYTES,
      httpsOnly: true,
    });
    const what = path.split("?")[0]?.split("/").at(-1) ?? path;
    const changes = method !== "GET";
    if (outcome.kind !== "response" || outcome.status >= 300) {
      throw faultOf(outcome, changes, (words) => hideSecrets(words, [credentials.api_key]));
    }
    const read = answer.safeParse(parsed(outcome.body));
    if (read.success) return read.data;
    // It said yes, so it was done; only what was done is not known.
    const fate = changes ? "unknown" : "not-sent";
    throw new CarrierFault(`Telnyx's answer to ${what} can't be read.`, fate, { cause: read.error });
  }
  return {
    get: (account, asked) => send(account, "GET", asked),
    post: (account, asked) => send(account, "POST", asked),
    patch: (account, asked) => send(account, "PATCH", asked),
    delete: (account, asked) => send(account, "DELETE", asked),
  };
}

/** https://developers.telnyx.com/development/api-fundamentals/api-errors */
const Errors = z.object({
  errors: z.array(
    z.object({ code: z.string().nullish(), title: z.string().nullish(), detail: z.string().nullish() }),
  ),
});

/** The person's number can't be called, by Telnyx's error codes. */
const INVALID_NUMBER = new Set(["10016", "10002", "90015"]);
/** Our connection, number or permission. */
const OURS = new Set(["10010", "10015", "90018", "90043", "90044"]);

function faultOf(outcome: EgressOutcome, changes: boolean, shown: (words: string) => string): CarrierFault {
  switch (outcome.kind) {
    case "refused":
      return new CarrierFault(`Telnyx can't be reached: ${outcome.reason}.`, "not-sent", {
        retry_after_s: 60,
      });
    case "timeout":
      return new CarrierFault(
        `Telnyx did not answer within ${outcome.after_ms} ms.`,
        changes ? "unknown" : "not-sent",
      );
    case "failed":
      return new CarrierFault(
        `Telnyx can't be reached: ${outcome.reason}.`,
        changes && !outcome.nothing_sent ? "unknown" : "not-sent",
      );
    case "redirect":
      return new CarrierFault("Telnyx redirected the request.", changes ? "unknown" : "not-sent");
    case "response":
      return answerFault(outcome, changes, shown);
    default:
      return unreachable(outcome);
  }
}

function answerFault(
  { status, body, headers }: Extract<EgressOutcome, { kind: "response" }>,
  changes: boolean,
  shown: (words: string) => string,
): CarrierFault {
  const read = Errors.safeParse(parsed(body));
  const [first] = read.success ? read.data.errors : [];
  const code = first?.code ?? null;
  const words = [first?.title, first?.detail].filter(Boolean).join(": ") || "no reason given";
  const message = shown(`Telnyx answered ${status}${code ? ` (${code})` : ""}: ${words}`.slice(0, 500));
  if (status === 401 || status === 403) {
    return new CarrierFault(message, "not-sent", { retry_after_s: 300, ours: "source" });
  }
  if (status === 429) {
    return new CarrierFault(message, "not-sent", { retry_after_s: (askedWait(headers) ?? 1000) / 1000 });
  }
  if (status >= 500) return new CarrierFault(message, changes ? "unknown" : "not-sent");
  const ours = code !== null && OURS.has(code) ? "source" : null;
  const refusal: ChannelStatus = code !== null && INVALID_NUMBER.has(code) ? "INVALID" : "FAILED";
  return new CarrierFault(message, "refused", { status: refusal, ours });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
