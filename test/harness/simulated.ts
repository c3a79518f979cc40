import type { z } from "zod";
import { simulatedAccount } from "../../src/carriers/simulator-account.ts";
import { Scenario } from "../../src/simulator/people.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { runJobs } from "./running-jobs.ts";
import { WAITING } from "./waiting.ts";

/** A platform on a real port whose carrier is the simulator, with its jobs running. */
export type SimulatedApp = TestApp & { simulator: Simulator };

export async function createSimulatedApp(
  options: {
    scenario?: z.input<typeof Scenario>;
    speed?: number | "moved";
    env?: Record<string, string>;
  } = {},
): Promise<SimulatedApp> {
  const { scenario = {}, speed = 400, env = {} } = options;
  const simulation = { scenario: Scenario.parse(scenario), speed };
  const app = await createTestApp(env, undefined, { simulation });
  await app.listen();
  await runJobs(app);
  if (!app.simulator) throw new Error("the test app has no simulator");
  return Object.assign(app, { simulator: app.simulator });
}

/** A channel of the simulated carrier with an agent on its first number, for each of these modes. */
export async function createNumber(
  app: SimulatedApp,
  agent_id: number,
  {
    service = "twilio",
    modes = ["sms"],
    telephony = null,
  }: { service?: "twilio" | "whatsapp"; modes?: string[]; telephony?: object | null } = {},
) {
  const make = async (method: string, path: string, body?: object) => {
    const answer = await app.send(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const name = `Simulated ${service} ${Math.random()}`;
  const config = { telephony };
  const channel = await make("POST", "/api/v1/channels/", { name, channel_service: service, config });
  let number = "+15125550199";
  if (service === "twilio") {
    const { phone_numbers } = await make("GET", `/api/v1/channels/twilio/${channel.id}/numbers`);
    number = phone_numbers[0].phone_number;
  }
  const targets: Record<string, number> = {};
  for (const target_mode of modes) {
    const body = { agent_id, channel_id: channel.id, target: number, target_mode };
    targets[target_mode] = (await make("POST", `/api/v1/channels/${channel.id}/targets`, body)).id;
  }
  const account = simulatedAccount(app.vault, channel.id) as { account_sid: string; auth_token: string };
  return { channel_id: channel.id as number, number, targets, ...account };
}

/** What a dialogue holds so far, oldest first. */
export const textsWith = (app: TestApp, source: string) =>
  app.db
    .selectFrom("text_messages")
    .select(["direction", "text", "status", "session_id", "key", "sid", "error_code"])
    .where("source", "=", source)
    .orderBy("id")
    .execute();

/** Looks every few milliseconds until it holds; the work waited for is real, its time is not the test's to choose. */
export async function eventually<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const deadline = performance.now() + WAITING.timeout;
  for (;;) {
    const found = await look();
    if (holds(found)) return found;
    if (performance.now() > deadline)
      throw new Error(`never came about; last seen: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
