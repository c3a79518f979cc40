import { localToken } from "../accounts/local-token.ts";
import { API_KEY_HEADER } from "../api/server.ts";
import { createVault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { readSecretKey } from "./secret-key.ts";

/** The key in the data directory proves that whoever runs this owns the installation. Each token lives ten minutes. */
export async function tokenOfThisMachine(config: Config, secrets: Secrets): Promise<() => string> {
  const key = secrets.secret_key ?? (await readSecretKey(config.data_dir));
  if (!key) {
    throw new Fault(
      "unavailable",
      `There is no Parley in ${config.data_dir}. Start it first (./parley start), or set PARLEY_API_TOKEN and PUBLIC_URL to talk to another machine's.`,
    );
  }
  const vault = createVault(key);
  return () => localToken(vault, new Date());
}

/** One call of the public API. Throws a `Fault` in the words of whoever sits at the terminal. */
export type ApiClient = <T>(method: string, path: string, body?: unknown) => Promise<T>;

export function client(baseUrl: string, token: () => string): ApiClient {
  return async (method, path, body) => {
    let response: Response;
    try {
      response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          [API_KEY_HEADER]: token(),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch {
      throw new Fault(
        "unavailable",
        `Parley does not answer at ${baseUrl}. Start it with ./parley start, or set PORT or PUBLIC_URL to where it is.`,
      );
    }
    const answer = (await response.json().catch(() => null)) as { detail?: unknown } | null;
    if (answer === null) {
      throw new Fault("unavailable", `What answers at ${baseUrl} is not Parley. Set PORT or PUBLIC_URL.`);
    }
    if (response.status === 403) throw new Fault("forbidden", String(answer.detail));
    if (response.status === 401) {
      throw new Fault(
        "not-authenticated",
        `The Parley at ${baseUrl} does not know this token. Set DATA_DIR (or SECRET_KEY) as it was started with, or PARLEY_API_TOKEN.`,
      );
    }
    if (!response.ok) {
      const detail = typeof answer.detail === "string" ? answer.detail : JSON.stringify(answer.detail);
      throw new Fault("unavailable", `${method} ${path} answered ${response.status}: ${detail}`);
    }
    return answer as never;
  };
}
