import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

let app: TestApp;
let target: string;
beforeAll(async () => {
  app = await createTestApp();
  ({ target } = await createAgent(app, { script: 'otherwise -> say "We are open all day."' }));
});

type Chat = { session_id: string; token: string };
const open = async (): Promise<Chat> =>
  (await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target })).body;
const say = ({ session_id, token }: Chat, text: string) =>
  app.sendAs(null)("POST", `/chat/v1/sessions/${session_id}/messages?token=${token}`, { text, id: text });

/** A process takes the session's turn and is never heard of again. */
const dies = ({ session_id }: Chat) =>
  app.db
    .updateTable("sessions")
    .set({ lease_owner: "dead", lease_expires_at: "2000-01-01T00:00:00Z" })
    .where("id", "=", Number(session_id))
    .execute();

/** So that the turn after the death is not answered either: as if that process died of it, too. */
const diesTwice = async (chat: Chat) => {
  await dies(chat);
  await app.db
    .updateTable("sessions")
    .set({ interruptions: 1 })
    .where("id", "=", Number(chat.session_id))
    .execute();
};

const setAside = async () => (await app.send("GET", "/api/v1/queues/set_aside")).body;

test("a web chat whose process died once is answered, and starts counting anew", async () => {
  const chat = await open();
  for (let n = 0; n < 3; n++) {
    await dies(chat);
    expect((await say(chat, `When are you open? ${n}`)).status).toBe(200);
  }
  expect(await setAside()).toEqual([]);
});

test("a web chat whose process died twice in a row is set aside and told; others go on, and so does it after a retry", async () => {
  const [ann, ben] = [await open(), await open()];
  await diesTwice(ann);
  for (let n = 0; n < 3; n++) expect((await say(ann, "When are you open?")).status).toBe(412);
  expect((await say(ben, "When are you open?")).status).toBe(200);
  const job_id = `web-chat-${ann.session_id}`;
  const session_id = Number(ann.session_id);
  expect(await setAside()).toMatchObject([{ job_id, kind: "web-chat", session_id, interruptions: 2 }]);
  const path = "/api/v1/events/?search_fields=type&search_field_values=job_set_aside";
  expect((await app.send("GET", path)).body.items).toMatchObject([{ session_id: ann.session_id }]);

  expect((await app.send("POST", `/api/v1/queues/set_aside/${job_id}/retry`)).status).toBe(200);
  expect(await setAside()).toEqual([]);
  const { status, body } = await say(ann, "When are you open?");
  expect(status).toBe(200);
  expect(body.events).toContainEqual(expect.objectContaining({ text: "We are open all day." }));
});

test("a web chat that is dropped is ended, and one that is set aside can be ended by its visitor", async () => {
  const [ann, ben] = [await open(), await open()];
  for (const chat of [ann, ben]) {
    await diesTwice(chat);
    await say(chat, "Hello");
  }
  const dropped = await app.send("DELETE", `/api/v1/queues/set_aside/web-chat-${ann.session_id}`);
  expect(dropped.status).toBe(200);
  await app.sendAs(null)("POST", `/chat/v1/sessions/${ben.session_id}/end?token=${ben.token}`, {});
  expect(await setAside()).toEqual([]);
  const ends = await app.db
    .selectFrom("sessions")
    .select("end_reason")
    .where("id", "in", [Number(ann.session_id), Number(ben.session_id)])
    .orderBy("id")
    .execute();
  expect(ends.map(({ end_reason }) => end_reason)).toEqual(["error", "user"]);
});
