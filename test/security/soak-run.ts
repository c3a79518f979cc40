import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Victim } from "./soak-attacks.ts";

const CHATS = 50;
/** Each person writes about this often. */
const PAUSE_MS = 2_000;
const WARM_UP_MS = 20_000;

export type Figures = {
  name: string;
  acts: number;
  turns: number;
  failed: number;
  p95_ms: number;
  block_ms: number;
};

/** The longest block of the program's main loop since the last look, as its own metrics tell it. */
async function longestBlock(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(30_000) })).text();
  return Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1000);
}

type Chat = { path: string; from: Record<string, string> };

async function openChat({ url, target }: Victim, n: number): Promise<Chat> {
  // Each from an address of its own; the program is started with one trusted proxy.
  const from = { "content-type": "application/json", "x-forwarded-for": `192.0.2.${n + 1}` };
  const body = JSON.stringify({ client_id: target });
  const answer = await fetch(`${url}/chat/v1/sessions`, { method: "POST", headers: from, body });
  const opened = (await answer.json()) as { session_id: string; token: string; detail?: string };
  if (!answer.ok) throw new Error(`no chat: ${opened.detail}`);
  return { path: `${url}/chat/v1/sessions/${opened.session_id}/messages?token=${opened.token}`, from };
}

/** Fifty people chat until told to stop; what each turn took. */
async function talk(
  victim: Victim,
  chats: Chat[],
  until: AbortSignal,
): Promise<{ took: number[]; failed: number }> {
  const took: number[] = [];
  let failed = 0;
  const one = async (n: number) => {
    await sleep((PAUSE_MS * n) / chats.length);
    while (!until.aborted) {
      const chat = chats[n] as Chat;
      const begun = performance.now();
      try {
        const answer = await fetch(chat.path, {
          method: "POST",
          headers: chat.from,
          body: JSON.stringify({ text: "What are your opening hours?" }),
          signal: AbortSignal.timeout(60_000),
        });
        await answer.arrayBuffer();
        // A conversation may come to its end; a new one takes its place.
        if (answer.status === 409 || answer.status === 410) chats[n] = await openChat(victim, n);
        else if (answer.status >= 500) failed++;
        else took.push(performance.now() - begun);
      } catch {
        failed++;
      }
      await sleep(PAUSE_MS, undefined, { signal: until }).catch(() => {});
    }
  };
  await Promise.all(chats.map((_, n) => one(n)));
  return { took, failed };
}

const p95 = (values: number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN);

async function phase(victim: Victim, chats: Chat[], ms: number, attack: Attack | null): Promise<Figures> {
  await longestBlock(victim.url);
  const until = AbortSignal.timeout(ms);
  let acts = 0;
  const attacking = async () => {
    while (attack && !until.aborted) {
      await attack.run(victim, acts).catch(() => {});
      acts++;
    }
  };
  const [talked] = await Promise.all([talk(victim, chats, until), attacking()]);
  return {
    name: attack?.name ?? "quiet",
    acts,
    turns: talked.took.length,
    failed: talked.failed,
    p95_ms: p95(talked.took),
    block_ms: await longestBlock(victim.url),
  };
}

/** A quiet stretch, then one with each attack. `told` hears of each as it ends. */
export async function runSoak(
  victim: Victim,
  attacks: Attack[],
  total_ms: number,
  told: (figures: Figures) => void,
  people = CHATS,
): Promise<Figures[]> {
  const each_ms = Math.ceil(total_ms / (attacks.length + 1));
  const chats = await Promise.all(Array.from({ length: people }, (_, n) => openChat(victim, n)));
  // The first turns of a program that has just begun are slower, and not what quiet means.
  await phase(victim, chats, Math.min(WARM_UP_MS, each_ms), null);
  const all: Figures[] = [];
  for (const attack of [null, ...attacks]) {
    const figures = await phase(victim, chats, each_ms, attack);
    told(figures);
    all.push(figures);
  }
  return all;
}
