import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Attack, World } from "./soak-attack.ts";
import type { Order, Tally } from "./soak-attacker.ts";
import { startChats } from "./soak-chats.ts";
import { type Block, type Figures, p95 } from "./soak-judge.ts";

const WARM_UP_MS = 10_000;

/** The longest block of a program's main loop since the last look, as its own metrics tell it. */
async function longestBlock(url: string): Promise<Block> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(30_000) })).text();
  const of = (time: string) => {
    const found = new RegExp(`^parley_main_loop_longest_block_seconds{time="${time}"} (\\S+)`, "m").exec(
      text,
    );
    if (!found) throw new Error(`${url}/metrics says nothing of the main loop`);
    return Math.round(Number(found[1]) * 1000);
  };
  return { clock_ms: of("clock"), processor_ms: of("processor") };
}

/** A thread that only attacks. */
function startAttacker(world: World) {
  const worker = new Worker(new URL("./soak-attacker.ts", import.meta.url), { workerData: world });
  return {
    async run(order: Order): Promise<Tally> {
      const answer = once(worker, "message");
      worker.postMessage(order);
      return (await answer)[0];
    },
    stop: () => worker.terminate(),
  };
}

type Soaked = { all: Figures[]; overall: { quiet_p95_ms: number; p95_ms: number } };

type Options = {
  total_ms: number;
  people: number;
  /** The chat they use. */
  chat: string;
  /** The most tries of one attack; unlimited where not given. */
  most?: number;
  /** The longest block, since the last look, of a process that does nothing. */
  idleBlock(): Promise<number>;
  /** Whether to go on. */
  stop: AbortSignal;
  told(figures: Figures): void;
};

/** For each attack a quiet time and, just as long, one beside it: what the machine does otherwise is in both. */
export async function runSoak(world: World, attacks: Attack[], options: Options): Promise<Soaked> {
  const { total_ms, people, stop, told, idleBlock, most = Number.POSITIVE_INFINITY } = options;
  const slice_ms = Math.ceil(total_ms / (2 * attacks.length));
  const urls = world.programs.map(({ url }) => url);
  const chats = await startChats(urls, options.chat, people);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {});
  const attacker = startAttacker(world);
  const look = () => Promise.all(urls.map(longestBlock));
  const quiet_took: number[] = [];
  const attacked_took: number[] = [];
  const all: Figures[] = [];
  try {
    // The first turns of a program that has just begun are slower, and not what quiet means.
    await pause(Math.min(WARM_UP_MS, slice_ms * 4));
    await Promise.all([look(), idleBlock()]);
    for (const { name } of attacks) {
      if (stop.aborted) break;
      chats.since();
      await pause(slice_ms);
      const quiet = chats.since();
      const before = await look();
      await idleBlock();
      const [tally] = await Promise.all([attacker.run({ name, ms: slice_ms, most }), pause(slice_ms)]);
      const talked = chats.since();
      const blocks = await look();
      quiet_took.push(...quiet.took);
      attacked_took.push(...talked.took);
      const figures: Figures = {
        name,
        ...tally,
        turns: talked.took.length,
        failed: [...quiet.failed, ...talked.failed],
        quiet_turns: quiet.took.length,
        quiet_p95_ms: p95(quiet.took),
        p95_ms: p95(talked.took),
        blocks,
        quiet_block: before.reduce((a, b) => ({
          clock_ms: Math.max(a.clock_ms, b.clock_ms),
          processor_ms: Math.max(a.processor_ms, b.processor_ms),
        })),
        idle_block_ms: await idleBlock(),
      };
      told(figures);
      all.push(figures);
    }
    return { all, overall: { quiet_p95_ms: p95(quiet_took), p95_ms: p95(attacked_took) } };
  } finally {
    await Promise.all([attacker.stop(), chats.stop()]);
  }
}
