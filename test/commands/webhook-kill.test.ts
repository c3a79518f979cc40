import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRandom } from "../harness/fuzz/random.ts";
import { rounds, SEED } from "../harness/seed.ts";
import { parley, usedFolder } from "./program.ts";
import { callerOf, createTold } from "./told-campaign.ts";

const ROUNDS = rounds(1, 4);
const random = createRandom(SEED);
/** An inbox keeps a hundred messages, some of which may come twice. */
const MESSAGES = ROUNDS * 15;

test(`kill -9 while webhooks are sent loses none that was acknowledged: each arrives, under its own id (seed ${SEED})`, async () => {
  const { folder, greeting } = await usedFolder();
  let program = parley(["start"], { folder });
  const { url } = await program.ready();
  const call = callerOf(url, greeting.token);
  const campaign = await createTold(call, "kill");

  const acknowledged: string[] = [];
  let done = false;
  const tell = async () => {
    while (acknowledged.length < MESSAGES) {
      const answer = await call("POST", `/outbound/webhooks/${campaign.webhook_id}/test`, {
        status: "COMPLETED",
      }).catch(() => null);
      if (answer?.status === 200) acknowledged.push(answer.body.id);
      else await sleep(50);
    }
    done = true;
  };
  const killAndStart = async () => {
    for (let round = 0; round < ROUNDS && !done; round++) {
      const reached = acknowledged.length;
      while (acknowledged.length < reached + 10 && !done) await sleep(5);
      await sleep(random.int(150));
      await program.end("SIGKILL");
      program = parley(["start"], { folder, env: { PORT: new URL(url).port } });
      await program.ready();
    }
  };
  await Promise.all([tell(), killAndStart()]);

  const missing = async () => {
    const { body } = await call("GET", "/outbound/webhook_inboxes/kill/messages?limit=200");
    const arrived = new Set(body.items.map((message: { message_id: string }) => message.message_id));
    return acknowledged.filter((id) => !arrived.has(id));
  };
  await expect.poll(missing, { interval: 250 }).toEqual([]);
  // A message may be there before it is stored that it was delivered; one whose sender died is sent again, and stored then.
  const undelivered = async () => {
    const { body } = await call(
      "GET",
      "/outbound/webhook_deliveries?limit=200&search_fields=state&search_field_values=DELIVERED",
    );
    const delivered = new Set(body.items.map((delivery: { id: string }) => delivery.id));
    return acknowledged.filter((id) => !delivered.has(id));
  };
  await expect.poll(undelivered, { interval: 250 }).toEqual([]);
});
