import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelStatus } from "../../src/channels/channel-status.ts";

/** A call that the carrier really made; only it knows for certain. */
export type Call = {
  key: string;
  target: string;
  at: number;
  ended_at: number | null;
  statuses: ChannelStatus[];
};

/** How the carrier behaves; changed while it runs. */
export type Mood = {
  /** Takes nothing and answers nothing, and can't be asked. */
  down: boolean;
  /** Places the call, and the answer is lost. */
  loses_answers: boolean;
  doubles: boolean;
  reorders: boolean;
  /** Keeps what it has to tell until told otherwise. */
  holds: boolean;
};

const CALL_MS = [50, 400] as const;
const TELL_TRIES = 200;

/**
 * The carriers and people of a chaos run, over HTTP as carriers are: a process that is killed takes nothing of what they
 * know with it. Chance comes from a seed.
 */
export async function startCarrier(random: () => number, dialers: () => string[]) {
  const mood: Mood = { down: false, loses_answers: false, doubles: false, reorders: false, holds: false };
  const calls = new Map<string, Call>();
  const held: (() => Promise<void>)[] = [];
  const telling = new Set<Promise<void>>();
  const stopping = new AbortController();

  const outcome = (): ChannelStatus => {
    const chance = random();
    return chance < 0.5 ? "COMPLETED" : chance < 0.75 ? "BUSY" : "NO-ANSWER";
  };

  async function ring(call: Call): Promise<void> {
    const last = outcome();
    const [shortest, longest] = CALL_MS;
    await sleep(shortest + random() * (longest - shortest), undefined, { signal: stopping.signal });
    const words: ChannelStatus[] = last === "COMPLETED" ? ["IN-PROGRESS", "HUMAN", last] : [last];
    call.statuses.push(...words);
    call.ended_at = Date.now();
    const told = mood.doubles ? words.flatMap((word) => [word, word]) : words;
    const order = mood.reorders ? told.toReversed() : told;
    for (const status of order) {
      const tell = () => deliver(call, status);
      if (mood.holds) held.push(tell);
      else track(tell());
    }
  }

  /** As carriers do: again and again, to whoever is there. */
  async function deliver({ key }: Call, status: ChannelStatus): Promise<void> {
    for (let tries = 0; tries < TELL_TRIES && !stopping.signal.aborted; tries++) {
      const there = dialers();
      const url = there[Math.floor(random() * there.length)];
      try {
        if (!url) throw new Error("nobody is there");
        const body = JSON.stringify({ key, status, at: Date.now() });
        const answer = await fetch(`${url}/signal`, {
          method: "POST",
          body,
          signal: AbortSignal.timeout(5_000),
        });
        if (answer.ok) return;
      } catch {
        // It is told again.
      }
      await sleep(100, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const track = (work: Promise<void>): void => {
    const quiet = work.catch(() => {}).finally(() => telling.delete(quiet));
    telling.add(quiet);
  };

  const server = createServer(async (request, response) => {
    const { key, target } = await bodyOf(request);
    if (mood.down) return void request.socket.destroy();
    if (request.url === "/find") {
      const call = calls.get(key);
      response.writeHead(call ? 200 : 404);
      response.end(JSON.stringify({ status: call?.statuses.at(-1) }));
      return;
    }
    const call: Call = { key, target, at: Date.now(), ended_at: null, statuses: ["QUEUED"] };
    // The same key twice would be the dialer's fault; a carrier that keeps keys would refuse it.
    if (calls.has(key)) throw new Error(`${key} was placed twice`);
    calls.set(key, call);
    track(ring(call));
    if (mood.loses_answers) return void request.socket.destroy();
    response.end(JSON.stringify({ status: "QUEUED" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood,
    calls,
    /** Tells what was held. */
    release() {
      mood.holds = false;
      for (const tell of held.splice(0)) track(tell());
    },
    async stop() {
      stopping.abort();
      server.closeAllConnections();
      server.close();
      await Promise.all(telling);
    },
  };
}
export type CarrierWorld = Awaited<ReturnType<typeof startCarrier>>;

async function bodyOf(request: IncomingMessage): Promise<{ key: string; target: string }> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}
