import { setTimeout as sleep } from "node:timers/promises";

/** One program under attack, on loopback. */
export type Target = { url: string; mail_port: number };

/** What the attacks know of the programs and of the two organizations in them. Plain data: a thread is given a copy. */
export type World = {
  programs: Target[];
  victim: {
    /** May write tools, but neither services nor anything else. */
    insider: string;
    token: string;
    email: string;
    /** Its records by the path they are read at. */
    paths: string[];
    chat: string;
    session: string;
    user_id: string;
    number: string;
    number_sid: string;
    target_id: number;
    domain: string;
    mailbox: string;
    sendgrid_channel: number;
    service_id: number;
    oauth_service_id: number;
  };
  attacker: {
    token: string;
    agent_id: number;
    organization_id: number;
    twilio_channel: number;
    /** An address that it gave itself in the victim's mail domain. */
    mailbox: string;
    /** A chat whose script has patterns that are too large. */
    poisoned_chat: string;
  };
  /** A server of the attacker's that no request may reach. */
  evil_url: string;
};

/** One try of an attack: how it was answered, and what should never have happened. */
export type Act = {
  target: Target;
  nth: number;
  answered(status: number | string): void;
  breach(what: string): void;
  stop: AbortSignal;
};

/** One hostile act, bounded in bytes and time. It may be refused in any way; the program must only go on. */
export type Attack = { name: string; run(world: World, act: Act): Promise<unknown> };

/** The longest that one act takes. */
export const ACT_MS = 20_000;
/** How long whoever holds a door open holds it. */
export const HOLD_MS = 2_000;

export const hold = (act: Act): Promise<void> =>
  sleep(HOLD_MS, undefined, { signal: act.stop }).catch(() => {});

export type Sent = { status: number; text: string };

/** Sends one request, as the bearer of a token or as nobody, and notes how it was answered. */
export async function send(
  act: Act,
  method: string,
  path: string,
  options: { token?: string; body?: unknown; from?: string; headers?: Record<string, string> } = {},
): Promise<Sent> {
  const { token, body, from, headers } = options;
  try {
    const answer = await fetch(act.target.url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { "Service-API-Key": token }),
        ...(from !== undefined && { "x-forwarded-for": from }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(ACT_MS),
    });
    act.answered(answer.status);
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    act.answered(name === "TimeoutError" ? "no answer" : (cause?.code ?? "cut off"));
    return { status: 0, text: "" };
  }
}

/** The same, where anything but a refusal is a breach. */
export async function sendForbidden(
  act: Act,
  ...request: Parameters<typeof send> extends [Act, ...infer R] ? R : never
) {
  const answer = await send(act, ...request);
  if (answer.status >= 200 && answer.status < 400)
    act.breach(`${request[0]} ${request[1]} was answered ${answer.status}: ${answer.text.slice(0, 120)}`);
  return answer;
}

export const parsed = <T>({ text }: Sent): T | null => {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
};

/** An address of its own for each try, in a network for documentation. */
export const someAddress = (n: number): string =>
  `198.51.${100 + (Math.floor(n / 250) % 100)}.${1 + (n % 250)}`;
