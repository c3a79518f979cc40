import { expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp } from "../harness/app.ts";
import { ATTACKS, shuffled } from "./soak-attacks.ts";
import { seededRandom } from "./soak-random.ts";
import { runSoak } from "./soak-run.ts";

test("chats go on beside attacks in a random order: no turn fails and nothing is logged as an error", async () => {
  const app = await createTestApp({ TRUST_PROXY: "1" });
  const { target } = await createAgent(app, { script: 'otherwise -> say "From eight to six."' });
  const url = await app.listen();
  // The doors of mail have tests of their own.
  const overHttp = ATTACKS.filter(({ name }) => !/mail|SMTP/.test(name));
  const seed = Number(process.env.SEED ?? 1);
  const attacks = shuffled(overHttp, seededRandom(seed)).slice(0, 4);
  const victim = { url, token: app.token, mailPort: 9, mailbox: "nobody@example.com", target };
  const figures = await runSoak(victim, attacks, 10_000, () => {}, 5);
  for (const { name, turns, failed } of figures) {
    expect({ name, failed }).toEqual({ name, failed: 0 });
    expect(turns).toBeGreaterThan(0);
  }
  expect(app.errors).toEqual([]);
});
