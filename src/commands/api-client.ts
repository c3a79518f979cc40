import { ApiError } from "../../sdk/typescript/api-error.ts";
import { createClient, type ParleyClient } from "../../sdk/typescript/client.ts";
import { localToken } from "../accounts/local-token.ts";
import { createVault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { fetchFailureWords } from "../egress/egress-failure.ts";
import { presentKey } from "./secret-key.ts";

export const START_OR_SET_ADDRESS = "Start it with ./parley start, or set PORT or PUBLIC_URL to where it is.";
export const SET_TOKEN = "Set DATA_DIR (or SECRET_KEY) as it was started with, or PARLEY_API_TOKEN.";

/** The key in the data directory proves that whoever runs this owns the installation. Each token lives ten minutes. */
export async function tokenOfThisMachine(config: Config, secrets: Secrets): Promise<() => string> {
  const key = await presentKey(config.data_dir, secrets);
  if (!key) {
    throw new Fault(
      "unavailable",
      `There is no Parley in ${config.data_dir}. Start it first (./parley start), or set PARLEY_API_TOKEN and PUBLIC_URL to talk to another machine's.`,
    );
  }
  const vault = createVault(key);
  return () => localToken(vault, new Date());
}

/** The public API by its SDK. A call that fails throws a `Fault` in the words of whoever sits at the terminal. */
export function client(baseUrl: string, token: () => string): ParleyClient {
  const parley = createClient({ baseUrl, token, fetch: (url, init) => reach(baseUrl, url, init) });
  const inWords =
    (operation: AnyCall): AnyCall =>
    (...given) =>
      operation(...given).catch((error: unknown) => {
        throw error instanceof ApiError ? faultOf(error, baseUrl) : error;
      });
  const operations = Object.entries(parley as Record<string, AnyCall>);
  return Object.fromEntries(operations.map(([id, call]) => [id, inWords(call)])) as ParleyClient;
}

// biome-ignore lint/suspicious/noExplicitAny: any operation of the SDK, whose own types hold for the caller
type AnyCall = (...given: any[]) => Promise<unknown>;

async function reach(baseUrl: string, ...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw new Fault(
      "unavailable",
      `Parley does not answer at ${baseUrl}: ${fetchFailureWords(error, baseUrl)}. ${START_OR_SET_ADDRESS}`,
    );
  });
  // The SDK says where a redirect leads.
  const isRedirect = response.status >= 300 && response.status < 400;
  if (isRedirect || response.status === 204 || response.headers.get("content-type")?.includes("json"))
    return response;
  await response.body?.cancel();
  throw new Fault("unavailable", `What answers at ${baseUrl} is not Parley. Set PORT or PUBLIC_URL.`);
}

function faultOf({ operation, status, detail, issues }: ApiError, baseUrl: string): Fault {
  if (status === 403) return new Fault("forbidden", detail);
  if (status === 401)
    return new Fault("not-authenticated", `The Parley at ${baseUrl} does not know this token. ${SET_TOKEN}`);
  if (status === 404) return new Fault("not-found", detail);
  // What went wrong inside has no words for a person: the operation is what there is to look for.
  if (status === 500) return new Fault("unavailable", `${operation} answered 500: ${detail}`);
  // Each place without the "body" or "query" it begins with: "variants.1.weight: …".
  const places = issues.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ");
  return new Fault("unavailable", places || detail);
}
