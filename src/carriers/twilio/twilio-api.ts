import { z } from "zod";
import { tryParseJson } from "../../base/parse-json.ts";
import { type CarrierAccount, CarrierFault } from "../../channels/carrier.ts";
import type { Egress, EgressRequest } from "../../egress/egress.ts";
import { hideSecrets } from "../../egress/hide-secrets.ts";
import { faultOf } from "./twilio-fault.ts";

/** Twilio's three hosts; with one address for all (`TWILIO_BASE_URL`, the simulator) their paths don't overlap. */
export type TwilioHosts = { api: string; lookups: string; messaging: string };

export const TWILIO_HOSTS: TwilioHosts = {
  api: "https://api.twilio.com",
  lookups: "https://lookups.twilio.com",
  messaging: "https://messaging.twilio.com",
};

export const hostsAt = (base: string): TwilioHosts => ({ api: base, lookups: base, messaging: base });

/** Values in order; a list becomes the same name several times. */
export type TwilioFields = Record<string, string | number | boolean | string[] | undefined>;

type TwilioRequest<T> = {
  host?: keyof TwilioHosts;
  path: string;
  /** Of a GET's query, or of a POST's form. */
  fields?: TwilioFields;
  /** What has to be in the answer; what else it holds is not read. */
  answer: z.ZodType<T>;
};

/** One request to Twilio's REST API as this account. Throws a `CarrierFault` for all that is no 2xx with this answer. */
export type TwilioApi = {
  get<T>(account: CarrierAccount, asked: TwilioRequest<T>): Promise<T>;
  post<T>(account: CarrierAccount, asked: TwilioRequest<T>): Promise<T>;
  delete(account: CarrierAccount, path: string): Promise<void>;
};

/** Of what was deleted nothing is told. */
const NO_CONTENT = z.unknown().transform(() => {});

/** Longer than Twilio takes to place a call, shorter than a claim of the dialer lasts. */
const TIMEOUT_MS = 10_000;
/** A page of 1,000 numbers is 2 MB. */
const MAX_BYTES = 8 * 1024 * 1024;

export function createTwilioApi(egress: Egress, hosts: TwilioHosts, timeout_ms = TIMEOUT_MS): TwilioApi {
  async function send<T>(
    { credentials }: CarrierAccount,
    request: Pick<EgressRequest, "url" | "method"> & { body?: string },
    answer: z.ZodType<T>,
  ): Promise<T> {
    const what = `${request.method} ${new URL(request.url).pathname.split("/").at(-1)}`;
    const signIn = `${credentials.account_sid ?? ""}:${credentials.auth_token ?? ""}`;
    const outcome = await egress.send({
      ...request,
      headers: {
        authorization: `Basic ${Buffer.from(signIn).toString("base64")}`,
        accept: "application/json",
        ...(request.body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      },
      timeout_ms,
      max_response_bytes: MAX_BYTES,
    });
    const asked = { what, changes: request.method !== "GET" };
    if (outcome.kind !== "response" || outcome.status >= 300) {
      const secrets = [credentials.auth_token, signIn];
      throw faultOf(outcome, { ...asked, shown: (words) => hideSecrets(words, secrets) });
    }
    const read = answer.safeParse(tryParseJson(outcome.body));
    if (read.success) return read.data;
    // It said yes, so it was done; only what was done is not known.
    const fate = asked.changes ? "unknown" : "not-sent";
    throw new CarrierFault(`Twilio's answer to ${what} can't be read.`, fate, { cause: read.error });
  }

  return {
    get: (account, { host = "api", path, fields = {}, answer }) => {
      const search = encoded(fields);
      const url = `${hosts[host]}${path}${search === "" ? "" : `?${search}`}`;
      return send(account, { method: "GET", url }, answer);
    },
    post: (account, { host = "api", path, fields = {}, answer }) =>
      send(account, { method: "POST", url: `${hosts[host]}${path}`, body: encoded(fields) }, answer),
    delete: (account, path) => send(account, { method: "DELETE", url: `${hosts.api}${path}` }, NO_CONTENT),
  };
}

function encoded(fields: TwilioFields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) form.append(name, String(each));
    }
  }
  return form.toString();
}

export const accountPath = ({ credentials }: CarrierAccount): string =>
  `/2010-04-01/Accounts/${encodeURIComponent(credentials.account_sid ?? "")}`;
