import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Outreach } from "../../../src/channels/outreach.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { DESK, request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import type { Plan } from "../../harness/planned-sender.ts";
import { createSender } from "../../harness/sender.ts";

/* A campaign that calls, then texts, then mails: what each of its steps lacks is told before it starts. */
const TEXTS = "+15125550190";
const WHATSAPP = "+15125550191";
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const TEXT = { mode: "sms", source: TEXTS, wait: "10m" };
const MAIL = { mode: "email", source: DESK, wait: "1d" };
const CAMPAIGNS = "/api/v1/outbound/campaigns";
const TEMPLATE = {
  type: "email_template",
  subject: "Your visit",
  text: "<p>Hello.</p>",
  rules: [],
  preamble: null,
};
const GREETING = { type: "greeting", text: "Hello." };

let app: TestApp;
let dialing: Dialing;
/** An agent with these words, behind the address of a step. */
const answeredBy = async (target: string, greeting?: object) => {
  const { agent_id } = await createAgent(app, { script: "", ...(greeting && { greeting }) });
  await app.db.updateTable("channel_targets").set({ agent_id }).where("target", "=", target).execute();
  return agent_id;
};
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  await createSender(app, app.admin, { target: TEXTS, mode: "sms" });
  await createSender(app, app.admin, { target: WHATSAPP, mode: "sms" });
  await app.db
    .updateTable("channel_targets")
    .set({ target_mode: "whatsapp" })
    .where("target", "=", WHATSAPP)
    .execute();
  await answeredBy("+19032900844", GREETING);
  // 10:00 on a Wednesday in New York.
  app.clock.set("2026-11-18T15:00:00Z");
});
beforeEach(async () => {
  await dialing.forget();
  await answeredBy(TEXTS, GREETING);
  await answeredBy(WHATSAPP, GREETING);
  await answeredBy(DESK, TEMPLATE);
  await app.send("PUT", "/api/v1/outbound/rules", { person_clock: false, caps: [], contact_hours: [] });
});

type Person = { target?: string; variables?: object };
async function cadence(steps: object[], people: Person[], campaign: object = {}) {
  const made = await dialing.filled([], { hourly_rate: 3600, ...campaign });
  const saved = await app.send("PUT", `${CAMPAIGNS}/${made.campaign_id}/cadence`, { steps });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  await dialing.outbound.add(
    made.batch_id,
    people.map(({ target, variables }, i) => request(`p${i}`, target ?? dialing.person(), variables)),
  );
  return made;
}
const check = async (campaign_id: number) =>
  (await app.send("POST", `${CAMPAIGNS}/${campaign_id}/preflight`, {})).body;
const problemsOf = async (campaign_id: number): Promise<string[]> =>
  (await check(campaign_id)).problems.map(
    ({ step, problem }: { step: number; problem: string }) => `${step} ${problem}`,
  );
const reasons = (counted: { reason: string; count: number }[]) =>
  Object.fromEntries(counted.map(({ reason, count }) => [reason, count]));
const mail = (n: number) => `person${n}@people.example`;

test("of each further step the check counts whom it may reach, and the dialer then does just that", async () => {
  const people = [
    { variables: { email: mail(1) } },
    { variables: { email: mail(2) } },
    { variables: {} },
    { variables: { email: "nobody" } },
    { variables: { email: mail(3) } },
  ];
  await app.send("POST", "/api/v1/suppressions/", { address: mail(2), scope: "email" });
  // An opt-out of the same moment would stop the whole request.
  app.clock.advance(1_000);
  const { campaign_id } = await cadence([TEXT, MAIL], people);
  const told = await check(campaign_id);
  expect(told).toMatchObject({ contacted: 5, problems: [] });
  expect(told.steps).toMatchObject([
    { number: 2, mode: "sms", source: TEXTS, reachable: 5, unreachable: [] },
    { number: 3, mode: "email", source: DESK, reachable: 2 },
  ]);
  expect(reasons(told.steps[1].unreachable)).toEqual({ "no-address": 2, suppressed: 1 });
  const plans: Partial<Record<Outreach["mode"], Plan>> = {
    voice: { tells: ["NO-ANSWER"] },
    sms: { tells: ["SENT", "DELIVERED"] },
    email: { tells: ["PROCESSED", "DELIVERED"] },
  };
  const dialer = createTestDialer(app, ({ mode }) => plans[mode] ?? {});
  await dialer.pass(1, 1_000);
  await dialer.settle();
  await dialer.pass(30, 30_000);
  await dialer.pass(30 * 60, 600_000);
  const reached = (mode: string) => dialer.world.handed.filter((each) => each.mode === mode);
  expect(reached("sms")).toHaveLength(5);
  expect(reached("email").map(({ target }) => target)).toEqual([mail(1), mail(3)]);
});

test("consent counts for the address and the channel of the step", async () => {
  const [ann, bob] = [dialing.person(), dialing.person()];
  const agreed = async (address: string, channel: string) =>
    expect(
      (await app.send("POST", "/api/v1/consents/", { address, channel, given_through: "form" })).status,
    ).toBe(200);
  await agreed(ann, "call");
  await agreed(bob, "call");
  await agreed(ann, "text");
  await agreed(mail(11), "email");
  const { campaign_id } = await cadence(
    [TEXT, MAIL],
    [
      { target: ann, variables: { email: mail(10) } },
      { target: bob, variables: { email: mail(11) } },
    ],
  );
  await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/reach-rules`, { purpose: "marketing" });
  const told = await check(campaign_id);
  expect(told).toMatchObject({ contacted: 2 });
  expect(told.steps).toMatchObject([
    { number: 2, reachable: 1, unreachable: [{ reason: "no-consent", count: 1 }] },
    { number: 3, reachable: 1, unreachable: [{ reason: "no-consent", count: 1 }] },
  ]);
});

test("a step whose number lost its agent, and agents without words to send, are told with the place and what to do", async () => {
  const { campaign_id } = await cadence([TEXT, MAIL], [{ variables: { email: mail(20) } }]);
  expect(await problemsOf(campaign_id)).toEqual([]);
  const agent_id = await answeredBy(TEXTS);
  await answeredBy(DESK, GREETING);
  const { problems } = await check(campaign_id);
  expect(problems).toMatchObject([
    { step: 2, problem: "no-words", agent_id },
    { step: 3, problem: "no-template" },
  ]);
  expect(problems[0].text).toMatch(
    /^Step 2 \(texts from \+15125550190\): agent ".+" has no greeting and does not speak first, so its text would be empty\. Give it a greeting on the agent's page\.$/,
  );
  expect(problems[1].text).toMatch(/^Step 3 \(e-mails from desk@clinic\.example\): .+ Choose one /);
  await app.db.updateTable("agents").set({ agent_initiated: true }).where("id", "=", agent_id).execute();
  await answeredBy(DESK, TEMPLATE);
  expect(await problemsOf(campaign_id)).toEqual([]);
  await app.db
    .updateTable("agents")
    .set({ deleted_at: app.clock.now().toISOString() })
    .where("id", "=", agent_id)
    .execute();
  const [lost] = (await check(campaign_id)).problems;
  expect(lost).toMatchObject({ step: 2, problem: "no-sender", agent_id: null });
  expect(lost.text).toContain(
    "Connect an agent under Channels, or choose another one under Follow-up steps.",
  );
});

test("the campaign's own step is looked at, too", async () => {
  await answeredBy(DESK, GREETING);
  const { campaign_id } = await dialing.filled([mail(30)], { mode: "email", source: DESK, caller_id: DESK });
  expect(await problemsOf(campaign_id)).toEqual(["1 no-template"]);
});

test("people whom WhatsApp takes no words for are counted until the campaign or the list names a template", async () => {
  const steps = [{ ...TEXT, source: WHATSAPP }];
  const people = [{ variables: { whatsapp_template: "HX1" } }, {}, {}];
  const { campaign_id } = await cadence(steps, people);
  const [problem] = (await check(campaign_id)).problems;
  expect(problem).toMatchObject({ step: 2, problem: "no-approved-template" });
  expect(problem.text).toContain("2 people have no approved template");
  const named = await cadence(steps, people, { campaign_variables: { whatsapp_template: "HX2" } });
  expect(await problemsOf(named.campaign_id)).toEqual([]);
});

test("a channel whose hours leave no minute of the campaign's days is told for that step alone", async () => {
  const hours = (channel: string, days: string[]) => ({
    jurisdiction: "*",
    channel,
    days,
    from: "08:00",
    to: "21:00",
  });
  const set = await app.send("PUT", "/api/v1/outbound/rules", {
    person_clock: true,
    caps: [],
    contact_hours: [hours("call", DAYS), hours("text", ["sat", "sun"]), hours("email", DAYS)],
  });
  expect(set.status).toBe(200);
  const people = [{ variables: { email: mail(40) } }];
  const { campaign_id } = await cadence([TEXT, MAIL], people, { active_days: ["wed", "thu"] });
  const told = await check(campaign_id);
  expect(told).toMatchObject({ contacted: 1, later: [] });
  expect(told.steps).toMatchObject([
    { number: 2, reachable: 0, unreachable: [{ reason: "never-open", count: 1 }] },
    { number: 3, reachable: 1, unreachable: [] },
  ]);
});
