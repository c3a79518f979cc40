import { expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import type { TestApp } from "../../harness/app.ts";
import { createMailServer, createMailWorld, mailsOnce, somebody } from "../../harness/mail.ts";
import { createNumber, createSimulatedApp, eventually, textsWith } from "../../harness/simulated.ts";

const AI = "I am an AI assistant.";
const SCRIPT = 'otherwise -> say "You said {user.text}."';
const announce = async (app: TestApp) => {
  const row = { kind: "ai", jurisdiction: "US-CA", channels: ["text", "email"], source: "B&P Code 17941" };
  const rows = [{ ...row, texts: { en: AI }, default_language: "en" }];
  const { status } = await app.send("PUT", "/api/v1/organizations/announcements", { rows });
  expect(status).toBe(200);
};

test("who texts from the jurisdiction is told before the first answer, once, and nobody else is", async () => {
  const app = await createSimulatedApp({
    scenario: { people: [{ number: "+1*", person: { name: "quiet", text: { replies_after_s: null } } }] },
  });
  await announce(app);
  const { agent_id } = await createAgent(app, { script: SCRIPT });
  const line = await createNumber(app, agent_id);
  const answerTo = async (from: string, body: string): Promise<string> => {
    const before = (await textsWith(app, from)).length;
    await app.simulator.text(line.account_sid, { from, to: line.number, body });
    const texts = await eventually(
      () => textsWith(app, from),
      (found) => found.length > before + 1 && found.at(-1)?.text.includes("You said") === true,
    );
    return texts
      .slice(before)
      .filter(({ direction }) => direction === "out")
      .map(({ text }) => text)
      .join("\n");
  };
  const first = await answerTo("+14155550171", "one");
  expect(first).toBe(`${AI}\nYou said one.`);
  expect(await answerTo("+14155550171", "two")).toBe("You said two.");
  expect(await answerTo("+15125550171", "three")).toBe("You said three.");
});

test("who writes a mail, and may be anywhere, is told in the first answer", async () => {
  const server = await createMailServer();
  const { app, box } = await createMailWorld(server, { script: SCRIPT });
  await announce(app);
  const ann = somebody();
  await app.deliver({ from: ann, to: box.address, subject: "Hours", text: "hello" });
  await mailsOnce(app, ann, (mails) => mails.at(-1)?.state === "sent");
  expect(server.mails.at(-1)?.text).toMatch(/^I am an AI assistant\.\n\nYou said /);
});
