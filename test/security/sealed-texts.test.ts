import { createCipheriv, randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { createVault } from "../../src/base/crypto.ts";
import { openSealedTexts } from "../../src/data-keys/data-keys.ts";
import { catalogueOf } from "../../src/llm/catalogue.ts";
import { indexSessions } from "../../src/search/index-sessions.ts";
import { readForTurn } from "../../src/sessions/leased-session.ts";
import { rotateRecordings } from "../../src/sessions/recordings/rotate-recordings.ts";
import { loadHistory } from "../../src/turns/turn-history.ts";
import { converse, createAgent } from "../harness/agent.ts";
import type { TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { everythingKept } from "../harness/everything-kept.ts";
import { createMailServer, createMailWorld, settledMails, somebody } from "../harness/mail.ts";
import { createPeer, json } from "../harness/peer.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../harness/simulated.ts";

const PRIVACY = "/api/v1/organizations/privacy";
const OPEN = "parley-sealed:1:";
/** Said by the person, answered by a tool and said by the agent; no author wrote them. */
const WORDS = ["zebra", "ointment", "77001234567"];

let app: SimulatedApp;
let agent_id: number;
const asked: unknown[] = [];

const leftOf = async (kept: TestApp, words = WORDS) => {
  const everything = (await everythingKept(kept)).toLowerCase();
  return words.filter((word) => everything.includes(word));
};

beforeAll(async () => {
  app = await createSimulatedApp({
    scenario: {
      people: [{ number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } }],
    },
  });
  const peer = await createPeer();
  peer.respond((request, response) => {
    asked.push(JSON.parse(String(request.body)));
    json(response, 200, { advice: "rub it with ointment", account: 77_001_234_567, count: 3 });
  });
  const advise = endpointTool("advise", `${peer.url}/advise`, {
    parameters: { type: "object", properties: { about: { type: "string" } }, required: ["about"] },
    endpoint: { method: "post", argument_location: "body" },
  });
  ({ agent_id } = await createAgent(app, {
    script: `
      on /my (?<about>.+)/ -> call advise {"about": "{about}"}
      after advise -> say "Please {result.advice} and marmalade."
      otherwise -> say "I heard: {user.text}"`,
    tools: [advise],
    greeting: { type: "greeting", text: "Welcome." },
  }));
  expect(await app.send("PUT", PRIVACY, { seal_texts: true })).toMatchObject({ status: 200 });
});

test("what is said in a chat lies nowhere in the database, and everybody who may read it reads it", async () => {
  const say = converse(app, agent_id);
  const first = await say("my zebra limps");
  expect(first.text).toContain("Please rub it with ointment and marmalade.");
  expect(asked).toContainEqual({ about: "zebra limps" });
  await say("and the zebra again");
  const session_id = Number(first.content.session_id);

  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  const shown = JSON.stringify(body);
  for (const word of ["my zebra limps", "ointment", "marmalade", "77001234567"])
    expect(shown).toContain(word);
  const trace = JSON.stringify((await app.send("GET", `/api/v1/sessions/${session_id}/trace`)).body);
  expect(trace).toContain("zebra limps");
  const rounds = (await app.send("GET", `/api/v1/sessions/${session_id}/model_rounds?turn_index=2`)).body;
  expect(JSON.stringify(rounds)).toContain("and the zebra again");
  expect(JSON.stringify(rounds)).toContain("my zebra limps");
  expect(shown + trace + JSON.stringify(rounds)).not.toContain(OPEN);
  const session = await readForTurn(app.engine, session_id);
  expect(JSON.stringify(session?.redactor.restore(await loadHistory(app.engine, session_id)))).toContain(
    "zebra",
  );

  // The index of words is made when it is over.
  const ended_at = app.clock.now().toISOString();
  await app.db
    .updateTable("sessions")
    .set({ ended_at, end_reason: "user" })
    .where("id", "=", session_id)
    .execute();
  await app.db
    .transaction()
    .execute((tx) => indexSessions(tx, { catalogue: catalogueOf([]), carrier_prices: {} }, [session_id]));
  expect(await leftOf(app)).toEqual([]);
  const { rows } = await app.database.pool.query("select text from session_messages where session_id = $1", [
    session_id,
  ]);
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.every(({ text }: { text: string }) => text.startsWith(OPEN))).toBe(true);
});

test("texts are sealed while they wait, and the carrier gets the words", async () => {
  const line = await createNumber(app, agent_id);
  const from = "+15126670001";
  await app.simulator.text(line.account_sid, { from, to: line.number, body: "my zebra limps" });
  const texts = await eventually(
    () => textsWith(app, from),
    (found) =>
      found.some(({ status }) => status === "DELIVERED") &&
      found.every(({ status }) => status !== "RECEIVED"),
  );
  expect(texts.at(-1)?.text).toBe("Please rub it with ointment and marmalade.");
  expect(await leftOf(app)).toEqual([]);
});

test("a mail is sealed while it waits, and its answer goes out as it was written", async () => {
  const outside = await createMailServer();
  const { app: mailing, box } = await createMailWorld(outside, {
    script: `otherwise -> say "About {user.text}"`,
  });
  expect(await mailing.send("PUT", PRIVACY, { seal_texts: true })).toMatchObject({ status: 200 });
  const from = somebody();
  await mailing.deliver({ from, to: box.address, subject: "The zebra", text: "It needs ointment" });
  await settledMails(mailing, from);
  const [answer] = await eventually(
    async () => outside.mails.filter(({ envelope }) => envelope.to.includes(from)),
    (mails) => mails.length > 0,
  );
  expect(answer?.text).toContain("ointment");
  expect(answer?.subject).toContain("The zebra");
  expect(await leftOf(mailing)).toEqual([]);
});

test("what the model is sent again is stored once, though it is sealed", async () => {
  const say = converse(app, agent_id);
  const { content } = await say("hello there");
  for (const text of ["two", "three", "four"]) await say(text);
  const { rows } = await app.database.pool.query<{ parts: string }>(
    `select count(*)::int as parts from sent_records r, json_each(r.content -> 'parts') where r.session_id = $1 and kind = 'round'`,
    [content.session_id],
  );
  // The instructions, four messages of the person, three answers before the last, and the tools.
  expect(Number(rows[0]?.parts)).toBeLessThanOrEqual(10);
});

test("a neighbour's sessions are stored as they are, and a session that began before stays so", async () => {
  const say = converse(app, agent_id);
  expect(await app.send("PUT", PRIVACY, { seal_texts: false })).toMatchObject({ status: 200 });
  const open = converse(app, agent_id);
  const { content } = await open("a plain giraffe");
  expect(await app.send("PUT", PRIVACY, { seal_texts: true })).toMatchObject({ status: 200 });
  await open("another giraffe");
  const kept = await app.database.pool.query("select text from session_messages where session_id = $1", [
    content.session_id,
  ]);
  expect(JSON.stringify(kept.rows)).toContain("another giraffe");
  await say("a secret giraffe, sealed");
  expect(await leftOf(app, ["a secret giraffe"])).toEqual([]);
});

test("new keys seal what is said from then on, and earlier words are read as before", async () => {
  const say = converse(app, agent_id);
  const { content } = await say("an early heron");
  const keysOf = async () => {
    const { rows } = await app.database.pool.query<{ key: string }>(
      "select distinct split_part(text, ':', 3) as key from session_messages where session_id = $1",
      [content.session_id],
    );
    return rows.length;
  };
  expect(await keysOf()).toBe(1);
  const deps = { db: app.db, clock: app.clock, vault: app.engine.vault, dataDir: app.config.data_dir };
  await rotateRecordings(deps, { resumed: false });
  app.clock.advance(48 * 3_600_000);
  await rotateRecordings(deps, { resumed: false });
  await say("a late heron");
  expect(await keysOf()).toBe(2);
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${content.session_id}`);
  for (const words of ["an early heron", "a late heron"]) expect(JSON.stringify(body)).toContain(words);
  expect(await leftOf(app, ["heron"])).toEqual([]);
});

test("with another secret key nothing is opened, and a changed value is not shown as anything else", async () => {
  const { content } = await converse(app, agent_id)("the okapi sleeps");
  const read = async () =>
    JSON.stringify((await app.send("GET", `/api/v1/sessions/transcript/${content.session_id}`)).body);
  expect(await read()).toContain("the okapi sleeps");
  openSealedTexts({ db: app.db, vault: createVault("another secret key, long enough") });
  expect(await read()).not.toContain("okapi");
  openSealedTexts({ db: app.db, vault: app.engine.vault });
  await app.database.pool.query(
    "update session_messages set text = overlay(text placing 'AAAA' from 24) where session_id = $1",
    [content.session_id],
  );
  expect(await read()).not.toContain("okapi");
});

/** As a copy of the database has it: sealed with the organization's key, and not by this process. */
async function copiedValue(words: string): Promise<string> {
  const { id, sealed_key } = await app.db
    .selectFrom("data_keys")
    .select(["id", "sealed_key"])
    .where("organization_id", "=", app.admin.organization_id)
    .where("retired_at", "is", null)
    .executeTakeFirstOrThrow();
  const nonce = randomBytes(12);
  const key = Buffer.from(app.vault.open(sealed_key), "base64url");
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(words), "utf8"), cipher.final()]);
  return `${OPEN}${id}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
}

test("whoever has a copy of the database can't have a value of it opened by saying it, or by a tool that answers it", async () => {
  const copied = await copiedValue("the flamingo's diagnosis");
  const said = await converse(app, agent_id)(`my ${copied}`);
  expect(said.status).toBe(422);
  expect(JSON.stringify(said.body)).toContain("string_sealed");

  const neighbour = await app.createNeighbour();
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { advice: copied, account: 1, count: 1 }));
  const tool = endpointTool("spy", `${peer.url}/spy`, {
    endpoint: { method: "post", argument_location: "body" },
  });
  for (const who of [app, neighbour]) {
    const asking = { ...app, send: who.send } as TestApp;
    const spy = await createAgent(asking, {
      script: `on "go" -> call spy {}\nafter spy -> say "It says {result.advice}"`,
      tools: [tool],
    });
    const { content } = await converse(asking, spy.agent_id)("go");
    for (const part of ["transcript/", ""]) {
      const url = part
        ? `/api/v1/sessions/transcript/${content.session_id}`
        : `/api/v1/sessions/${content.session_id}/trace`;
      const shown = JSON.stringify((await who.send("GET", url)).body);
      expect(shown).toContain("parley-sealed");
      expect(shown).not.toContain("flamingo");
    }
  }
});
