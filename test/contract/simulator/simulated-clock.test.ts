import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../../harness/simulated.ts";

const HOUR_MS = 3_600_000;

let app: SimulatedApp;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  app = await createSimulatedApp({ speed: "moved" });
  const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "Which day would suit you?"' });
  line = await createNumber(app, agent_id);
});

test("somebody who answers texts after an hour does so when the clock has moved an hour, in the same session", async () => {
  const from = "+15126663020";
  await app.simulator.text(line.account_sid, { from, to: line.number, body: "Hello" });
  const handedOver = await eventually(
    () => textsWith(app, from),
    (texts) => texts.some(({ sid, direction }) => direction === "out" && sid !== null),
  );
  expect(handedOver.at(-1)?.status).toBe("QUEUED");

  await app.simulator.advance(app.clock, 2000);
  expect((await textsWith(app, from)).at(-1)?.status).toBe("DELIVERED");
  await app.simulator.advance(app.clock, HOUR_MS - 2000);
  expect((await textsWith(app, from)).filter(({ direction }) => direction === "in")).toHaveLength(1);

  await app.simulator.advance(app.clock, 2000);
  const texts = await eventually(
    () => textsWith(app, from),
    (all) => all.length === 4,
  );
  expect(texts[2]).toMatchObject({ direction: "in", text: "Next Monday, please." });
  expect(new Set(texts.map(({ session_id }) => session_id)).size).toBe(1);
});
