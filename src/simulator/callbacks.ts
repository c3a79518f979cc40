import { createHmac } from "node:crypto";
import { Pool } from "undici";

/**
 * Calls back as the carrier does: a signed form, a few at a time over connections that stay open, tried again where the
 * address asks for it. An answer of an earlier form of the same call or text is waited for before the next one is sent.
 */
export type Callbacks = {
  /** The answer's body; null when there was none to be had. */
  send(url: string, auth_token: string, form: Record<string, string>): Promise<string | null>;
  readonly waiting: number;
  close(): Promise<void>;
};

/** `X-Twilio-Signature`: the address, then every name and value in order of the names. */
export function signature(auth_token: string, url: string, form: Record<string, string>): string {
  const signed =
    url +
    Object.keys(form)
      .toSorted()
      .map((name) => name + form[name])
      .join("");
  return createHmac("sha1", auth_token).update(signed).digest("base64");
}

const CONNECTIONS = 24;
/** Twilio's own. */
const TIMEOUT_MS = 15_000;

export function createCallbacks(options: {
  /** Where what is called this is really reached: a public address may lead back here only through a proxy. */
  reach(origin: string): string;
  /** Real milliseconds before another try. */
  pause_ms: number;
  log(problem: { url: string; status: number | null }): void;
}): Callbacks {
  const pools = new Map<string, Pool>();
  let waiting = 0;

  const poolOf = (origin: string): Pool => {
    const reached = options.reach(origin);
    let pool = pools.get(reached);
    if (!pool) {
      pool = new Pool(reached, {
        connections: CONNECTIONS,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      pools.set(reached, pool);
    }
    return pool;
  };

  const post = async (url: URL, auth_token: string, form: Record<string, string>) => {
    const { statusCode, body } = await poolOf(url.origin).request({
      method: "POST",
      path: url.pathname + url.search,
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
        "x-twilio-signature": signature(auth_token, url.href, form),
        "user-agent": "Parley carrier simulator",
      },
      body: new URLSearchParams(form).toString(),
    });
    return { status: statusCode, text: await body.text() };
  };

  return {
    async send(address, auth_token, form) {
      const url = new URL(address);
      const overrides = new URLSearchParams(url.hash.slice(1));
      const retries = Number(overrides.get("rc") ?? 1);
      const policy = (overrides.get("rp") ?? "ct").split(",");
      url.hash = "";
      waiting++;
      try {
        for (let attempt = 0; ; attempt++) {
          const answer = await post(url, auth_token, form).catch(() => null);
          if (answer && answer.status < 400) return answer.text;
          const again = answer ? answer.status >= 500 && policy.includes("5xx") : true;
          if (!again || attempt >= retries) {
            options.log({ url: url.href, status: answer?.status ?? null });
            return null;
          }
          await new Promise((resolve) => setTimeout(resolve, options.pause_ms * 2 ** attempt));
        }
      } finally {
        waiting--;
      }
    },
    get waiting() {
      return waiting;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
