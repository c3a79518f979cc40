import type { z } from "zod";
import { tryParseJson } from "../../base/parse-json.ts";
import { type CarrierAccount, CarrierFault } from "../../channels/carrier.ts";
import type { Egress } from "../../egress/egress.ts";
import { hideSecrets } from "../../egress/hide-secrets.ts";
import { telnyxFault } from "./telnyx-fault.ts";

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
      throw telnyxFault(outcome, changes, (words) => hideSecrets(words, [credentials.api_key]));
    }
    const read = answer.safeParse(tryParseJson(outcome.body));
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
