import { platform, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { World } from "./soak-attack.ts";
import { ATTACKS } from "./soak-attacks.ts";

/** Runs one attack over and over, in a thread apart: what an attack costs its maker must not delay who measures chats. */
export type Order = { name: string; ms: number; most: number };
export type Tally = { tried: number; answers: Record<string, number>; breaches: string[] };

/*
 * What an attack costs its maker is not the victim's loss: in the world they have a machine each. So this thread takes the
 * processor time that the programs and their database leave. On Linux a priority is the calling thread's alone; elsewhere
 * it would be the chats' too.
 */
if (platform() === "linux") setPriority(0, 19);

const world = workerData as World;
let nth = 0;

async function attack({ name, ms, most }: Order): Promise<Tally> {
  const found = ATTACKS.find((each) => each.name === name);
  if (!found) throw new Error(`there is no attack "${name}"`);
  const tally: Tally = { tried: 0, answers: {}, breaches: [] };
  const stop = AbortSignal.timeout(ms);
  while (tally.tried < most && !(stop.aborted && tally.tried > 0)) {
    const target = world.programs[nth % world.programs.length];
    if (!target) throw new Error("nothing to attack");
    await found.run(world, {
      target,
      nth: nth++,
      stop,
      answered: (status) => {
        tally.answers[status] = (tally.answers[status] ?? 0) + 1;
      },
      breach: (what) => tally.breaches.push(what),
    });
    tally.tried++;
  }
  return tally;
}

parentPort?.on("message", (order: Order) => {
  attack(order).then(
    (tally) => parentPort?.postMessage(tally),
    (error: Error) => {
      throw error;
    },
  );
});
