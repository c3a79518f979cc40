import { expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createNumber, createSimulatedApp, eventually, textsWith } from "../../harness/simulated.ts";

test("a text conversation that a person takes over is answered by them alone, by text, until it is handed back", async () => {
  const quiet = { number: "+1512668*", person: { name: "quiet", text: { replies_after_s: null } } };
  const app = await createSimulatedApp({ scenario: { people: [quiet] } });
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Agent: {user.text}."' });
  const line = await createNumber(app, agent_id);
  const person = "+15126680001";
  const settled = (texts: number) =>
    eventually(
      () => textsWith(app, person),
      (found) =>
        found.length === texts && found.every(({ status }) => status !== "RECEIVED" && status !== "PENDING"),
    );
  const writes = (body: string) =>
    app.simulator.text(line.account_sid, { from: person, to: line.number, body });

  await writes("hello");
  await settled(2);
  const { session_id } = await app.db
    .selectFrom("text_sessions")
    .select("session_id")
    .where("source", "=", person)
    .executeTakeFirstOrThrow();
  const path = `/api/v1/sessions/${session_id}/takeover`;
  expect((await app.send("POST", path, {})).status).toBe(200);
  await writes("a person, please");
  await settled(3);
  const said = { text: "Ann here.", id: "1" };
  const both = await Promise.all([1, 2].map(() => app.send("POST", `${path}/messages`, said)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  await settled(4);
  expect((await app.send("DELETE", path)).status).toBe(204);
  await writes("thanks");
  await settled(6);
  const { transcription } = (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body;
  expect(
    transcription.map((one: { source: string; text: string; written_by: string | null }) => [
      one.written_by ?? one.source,
      one.text,
    ]),
  ).toEqual([
    ["user", "hello"],
    ["agent", "Agent: hello."],
    ["user", "a person, please"],
    [app.admin.email, "Ann here."],
    ["user", "thanks"],
    ["agent", "Agent: thanks."],
  ]);
  const sent = (await textsWith(app, person)).filter(({ direction }) => direction === "out");
  expect(sent.map(({ text }) => text)).toEqual(["Agent: hello.", "Ann here.", "Agent: thanks."]);
});
