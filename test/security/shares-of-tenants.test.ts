import { beforeAll, expect, test } from "vitest";
import type { LanguageModel } from "../../src/llm/model.ts";
import { ensureSystemTools } from "../../src/tools/system-tools.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createMailApp, createMailbox, mailsOnce, somebody } from "../harness/mail.ts";
import { createNumber, createSimulatedApp, eventually, textsWith } from "../harness/simulated.ts";

/** More than all places that conversations have. */
const SLOW = 40;
const PLACES = 32;

/** The model of one sub-organization answers when told to; that of all others at once. */
function slowModelOf(sub_organization_id: number) {
  const answering = Promise.withResolvers<void>();
  const seen = { asked: 0 };
  const model = (slow: boolean): LanguageModel => ({
    provider: "openai",
    model: "slow",
    scripted: false,
    async *stream() {
      if (slow) {
        seen.asked++;
        await answering.promise;
      }
      yield { type: "text", delta: "Noted." };
      const usage = { input_tokens: null, output_tokens: null, cached_input_tokens: null };
      yield { type: "done", finish: "stop", usage, warnings: [] };
    },
  });
  return {
    seen,
    answer: answering.resolve,
    resolveModel: async (of: number) => model(of === sub_organization_id),
  };
}

type World = Awaited<ReturnType<typeof createSimulatedApp>>;
let app: World;
beforeAll(async () => {
  app = await createSimulatedApp({
    scenario: { people: [{ number: "+1512*", person: { name: "quiet", text: { replies_after_s: null } } }] },
  });
});

/** Another organization with an agent; what the harness makes through the API, it makes there. */
async function createTenant<App extends TestApp>(of: App) {
  const neighbour = await of.createNeighbour();
  await of.db.transaction().execute((tx) => ensureSystemTools(tx, neighbour.caller, of.clock.now()));
  const there = Object.assign(Object.create(of) as App, { send: neighbour.send });
  const { agent_id, target } = await createAgent(there, { script: 'otherwise -> say "Noted."' });
  return { there, agent_id, target, id: neighbour.caller.sub_organization_id };
}

test("forty slow conversations of one tenant take half of the places, and another's text is answered at once", async () => {
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
  const busy = await createNumber(app, agent_id);
  const tenant = await createTenant(app);
  const quiet = await createNumber(tenant.there, tenant.agent_id);
  const slow = slowModelOf(app.admin.sub_organization_id);
  app.engine.resolveModel = slow.resolveModel;

  const people = Array.from({ length: SLOW }, (_, n) => `+1512700${String(n).padStart(4, "0")}`);
  await Promise.all(
    people.map((from) => app.simulator.text(busy.account_sid, { from, to: busy.number, body: "hello" })),
  );
  await expect.poll(() => slow.seen.asked).toBe(PLACES / 2);

  const from = "+15128000001";
  await app.simulator.text(quiet.account_sid, { from, to: quiet.number, body: "hello" });
  const texts = await eventually(
    () => textsWith(app, from),
    (found) => found.some(({ direction, sid }) => direction === "out" && sid !== null),
  );
  expect(texts.at(-1)).toMatchObject({ direction: "out", text: "Noted." });
  expect(slow.seen.asked).toBe(PLACES / 2);

  slow.answer();
  for (const person of people)
    await eventually(
      () => textsWith(app, person),
      (found) => found.some(({ direction }) => direction === "out"),
    );
});

test("the same with e-mail", async () => {
  const mailApp = await createMailApp(null);
  const { agent_id } = await createAgent(mailApp, { script: 'otherwise -> say "Noted."' });
  const busy = await createMailbox(mailApp, agent_id);
  const tenant = await createTenant(mailApp);
  const quiet = await createMailbox(tenant.there, tenant.agent_id);
  const claim = await tenant.there.send("POST", "/api/v1/mail_domains/", { domain: quiet.domain });
  await mailApp.send("PUT", `/api/v1/mail_domains/claims/${claim.body.id}`);
  const slow = slowModelOf(mailApp.admin.sub_organization_id);
  mailApp.engine.resolveModel = slow.resolveModel;

  for (let n = 0; n < SLOW; n++)
    await mailApp.deliver({ from: somebody(), to: busy.address, subject: "Hello", text: "hello" });
  await expect.poll(() => slow.seen.asked).toBe(PLACES / 2);
  const person = somebody();
  await mailApp.deliver({ from: person, to: quiet.address, subject: "Hello", text: "hello" });
  await mailsOnce(mailApp, person, (mails) => mails.some(({ state }) => state === "answered"));
  expect(slow.seen.asked).toBe(PLACES / 2);
  slow.answer();
});

test("fifty slow chats of one tenant take half of the places, and another's first answer waits for none of them", async () => {
  const chatApp = await createTestApp({ CHAT_CONCURRENCY: "8" });
  const busy = await createAgent(chatApp, { script: 'otherwise -> say "Noted."' });
  const quiet = await createTenant(chatApp);
  const slow = slowModelOf(chatApp.admin.sub_organization_id);
  chatApp.engine.resolveModel = slow.resolveModel;
  // Each from an address of their own: one opens 30 chats in a minute.
  let visitors = 0;
  const say = async (client_id: string) => {
    const remoteAddress = `198.51.100.${++visitors}`;
    const post = async (url: string, payload: object) => {
      const answer = await chatApp.api.server.inject({ method: "POST", url, payload, remoteAddress });
      return { status: answer.statusCode, body: answer.json() };
    };
    const { body } = await post("/chat/v1/sessions", { client_id });
    return post(`/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, { text: "hello" });
  };

  const chats = Array.from({ length: 50 }, () => say(busy.target));
  await expect.poll(() => slow.seen.asked).toBe(4);

  const answer = await say(quiet.target);
  expect(answer.body.events).toMatchObject([{ type: "message", text: "Noted." }]);
  expect(slow.seen.asked).toBe(4);

  slow.answer();
  for (const { status, body } of await Promise.all(chats)) {
    expect(status).toBe(200);
    expect(body.events).toMatchObject([{ type: "message", text: "Noted." }]);
  }
});
