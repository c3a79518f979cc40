import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { SIGN_IN_COOKIE } from "../../../src/accounts/sign-in/begin-sign-in.ts";
import { KEEP_ALIVE_MS } from "../../../src/api/event-stream.ts";
import { API_KEY_HEADER } from "../../../src/api/server.ts";
import { sha256 } from "../../../src/base/crypto.ts";
import { randomBase62 } from "../../../src/base/ids.ts";
import { LOOKED_EACH_MS } from "../../../src/sessions/live/live.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { openEventStream } from "../../harness/event-stream.ts";
import { insertSession } from "../../harness/rows.ts";

let app: TestApp;
let address: string;
let target: string;
beforeAll(async () => {
  app = await createTestApp();
  address = await app.listen();
  ({ target } = await createAgent(app, { script: 'otherwise -> say "Hello there."' }));
});

const PATH = "/api/v1/sessions/live";
const openChat = async () =>
  (await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target })).body as {
    session_id: string;
    token: string;
  };
const say = (chat: { session_id: string; token: string }, text: string) =>
  app.sendAs(null)("POST", `/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`, { text });
const idsOf = (list: { sessions: { session_id: string }[] }) =>
  list.sessions.map(({ session_id }) => session_id);

const idOf = async (token: string): Promise<number> => {
  const found = app.db.selectFrom("api_tokens").select("id").where("token_hash", "=", sha256(token));
  return (await found.executeTakeFirstOrThrow()).id;
};

describe("running sessions", () => {
  test("a stream begins with the whole list, then tells of words, of new sessions, and of ends", async () => {
    const first = await openChat();
    const stream = await openEventStream(`${address}${PATH}`, app.token);
    expect(stream.type).toMatch(/^text\/event-stream/);
    const all = await stream.next();
    expect(all.event).toBe("all");
    expect(idsOf(all.data)).toContain(first.session_id);

    /** A look may fall between any two writes, so a session may be told of more than once on its way; no other is. */
    const toldOf = async ({ session_id }: { session_id: string }, end: object) => {
      for (;;) {
        const { event, data } = await stream.next();
        expect(event).toBe("changed");
        expect(idsOf(data)).toEqual([session_id]);
        expect(data.ended).toEqual([]);
        const { channel, state, last_words } = data.sessions[0];
        const said = last_words && [last_words.source, last_words.text, last_words.written_by];
        if (isDeepStrictEqual({ channel, state, said }, end)) return;
      }
    };
    await say(first, "good morning");
    await toldOf(first, { channel: "chat", state: "listening", said: ["agent", "Hello there.", null] });

    const second = await openChat();
    await toldOf(second, { channel: "chat", state: "listening", said: null });
    await app.sendAs(null)("POST", `/chat/v1/sessions/${first.session_id}/end?token=${first.token}`, {});
    let last = await stream.next();
    while (last.data.ended.length === 0) {
      expect([first.session_id, second.session_id]).toEqual(expect.arrayContaining(idsOf(last.data)));
      last = await stream.next();
    }
    expect(last.data.ended).toEqual([first.session_id]);
    stream.close();
  });

  test("a reconnect begins with the whole list again, so nothing is missed between two streams", async () => {
    const before = await openEventStream(`${address}${PATH}`, app.token);
    await before.next();
    before.close();
    const { session_id } = await openChat();
    const again = await openEventStream(`${address}${PATH}`, app.token);
    const { event, data } = await again.next();
    expect(event).toBe("all");
    expect(idsOf(data)).toContain(session_id);
    again.close();
  });

  test("what another process does with a session is told too: a turn, the tool it waits for", async () => {
    const session_id = await insertSession(app);
    const stream = await openEventStream(`${address}${PATH}?session_id=${session_id}`, app.token);
    expect((await stream.next()).data.sessions).toMatchObject([{ state: "listening", last_words: null }]);
    const lease_expires_at = new Date(app.clock.now().getTime() + 8000).toISOString();
    const write = (values: object) =>
      app.db.updateTable("sessions").set(values).where("id", "=", session_id).execute();
    await write({ lease_owner: "elsewhere/1", lease_expires_at });
    expect((await stream.next()).data.sessions).toMatchObject([{ state: "answering", running_tool: null }]);
    await write({ running_tool: "find_slots" });
    expect((await stream.next()).data.sessions).toMatchObject([
      { state: "tool", running_tool: "find_slots" },
    ]);
    await write({ lease_owner: null, lease_expires_at: null });
    expect((await stream.next()).data.sessions).toMatchObject([{ state: "listening", running_tool: null }]);
    stream.close();
  });

  test("a process that dies in a turn leaves no session answering: the lease runs out", async () => {
    const lease_expires_at = new Date(app.clock.now().getTime() - 1).toISOString();
    const session_id = await insertSession(app, { lease_owner: "dead/1", lease_expires_at });
    const { body } = await app.send("GET", `${PATH}?session_id=${session_id}`);
    expect(body.sessions).toMatchObject([{ state: "listening" }]);
  });

  test("whose token is revoked, who is signed out or may not read any more is told nothing further, and looking on keeps nobody signed in", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { caller } = await app.createNeighbour("leaving@example.org");
    const session_id = String(await insertSession(app, { sub_organization_id: caller.sub_organization_id }));
    const cookie = randomBase62(43);
    const at = app.clock.now().getTime();
    const signedIn = { token_hash: sha256(cookie), user_id: caller.user_id };
    await app.db
      .insertInto("sign_ins")
      .values({
        ...signedIn,
        created_at: new Date(at).toISOString(),
        last_used_at: new Date(at).toISOString(),
        expires_at: new Date(at + 3_600_000).toISOString(),
      })
      .execute();
    const token = await app.createToken(null, caller);
    const [byToken, bySignIn, byRole] = await Promise.all(
      [token, { cookie: `${SIGN_IN_COOKIE}=${cookie}` }, await app.createToken(null, caller)].map((by) =>
        openEventStream(`${address}${PATH}`, by),
      ),
    );
    /** One look at what runs, and one at who may read. */
    const look = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
    };
    const begun = [byToken, bySignIn, byRole].map((stream) => stream?.next());
    await look(1_000);
    for (const all of await Promise.all(begun)) expect(idsOf(all?.data)).toEqual([session_id]);

    app.clock.set(new Date(at + 600_000));
    await look(LOOKED_EACH_MS);
    const { last_used_at } = await app.db
      .selectFrom("sign_ins")
      .select("last_used_at")
      .where("token_hash", "=", signedIn.token_hash)
      .executeTakeFirstOrThrow();
    expect(new Date(String(last_used_at)).getTime()).toBe(at);

    const ended = async (stream: typeof byToken) => {
      const over = expect(stream?.next()).rejects.toThrow("the stream ended");
      await look(LOOKED_EACH_MS);
      await over;
    };
    await app.sendAs(token)("DELETE", `/api/v1/api_tokens/${await idOf(token)}`);
    await ended(byToken);
    await app.db.deleteFrom("sign_ins").where("token_hash", "=", signedIn.token_hash).execute();
    await ended(bySignIn);
    await app.db
      .updateTable("roles")
      .set({ permissions: ["agents_read"] })
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .execute();
    await ended(byRole);
  });

  test("at most the newest 500 are listed, and the list says that there are more", async () => {
    const neighbour = await app.createNeighbour("crowd@example.org");
    const first = await insertSession(app, { sub_organization_id: neighbour.caller.sub_organization_id });
    await sql`
        insert into sessions (sub_organization_id, conversation_id, timestamp, last_activity_at, channel,
          channel_manager_service, channel_manager_type, channel_manager_sid, agent_id, agent_name, agent_type,
          agent_timezone, prompt_id, prompt_name, prompt_version_number, is_test, snapshot_key, state)
        select sub_organization_id, conversation_id, timestamp, last_activity_at, channel, channel_manager_service,
          channel_manager_type, channel_manager_sid, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
          prompt_name, prompt_version_number, is_test, snapshot_key, state
        from sessions, generate_series(1, 500) where id = ${first}`.execute(app.db);
    const { body } = await neighbour.send("GET", PATH);
    expect(body.sessions).toHaveLength(500);
    expect(body.more).toBe(true);
    expect(idsOf(body)).not.toContain(String(first));
  });

  test("test conversations are listed only when asked for", async () => {
    const session_id = String(await insertSession(app, { is_test: true }));
    expect(idsOf((await app.send("GET", PATH)).body)).not.toContain(session_id);
    expect(idsOf((await app.send("GET", `${PATH}?is_test=true`)).body)).toContain(session_id);
  });

  test("a neighbour sees none of them, and following one by its id answers 404", async () => {
    const { session_id } = await openChat();
    const neighbour = await app.createNeighbour("other@example.org");
    expect((await neighbour.send("GET", PATH)).body.sessions).toEqual([]);
    expect((await neighbour.send("GET", `${PATH}?session_id=${session_id}`)).status).toBe(404);
    expect((await app.sendAs(await app.createToken(["agents_read"]))("GET", PATH)).status).toBe(403);
  });

  test("twenty viewers are told the same event", async () => {
    const neighbour = await app.createNeighbour("viewers@example.org");
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => openEventStream(`${address}${PATH}`, neighbour.token)),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    const session_id = await insertSession(app, {
      sub_organization_id: neighbour.caller.sub_organization_id,
    });
    const told = await Promise.all(streams.map((stream) => stream.next()));
    expect(new Set(told.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(idsOf(told[0]?.data)).toEqual([String(session_id)]);
    for (const stream of streams) stream.close();
  });

  test("a viewer too many is refused in words, no stream is begun that nobody would end, and others find room", async () => {
    const neighbour = await app.createNeighbour("too-many-viewers@example.org");
    const headers = { accept: "text/event-stream", [API_KEY_HEADER]: neighbour.token };
    const began = vi.spyOn(globalThis, "setInterval");
    const answers = await Promise.all(
      Array.from({ length: 205 }, () => fetch(`${address}${PATH}`, { headers })),
    );
    const kept_alive = began.mock.calls.filter(([, ms]) => ms === KEEP_ALIVE_MS).length;
    began.mockRestore();
    const followed = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status === 429);
    expect(followed + refused.length).toBe(answers.length);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { headers } of refused) expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(kept_alive).toBe(followed);
    const other = await openEventStream(`${address}${PATH}`, app.token);
    expect([other.status, (await other.next()).event]).toEqual([200, "all"]);
    other.close();
    await Promise.all(answers.map(({ body }) => body?.cancel()));
  });
});
