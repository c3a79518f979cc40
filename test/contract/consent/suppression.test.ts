import { beforeAll, describe, expect, test } from "vitest";
import { handleOptOut, type IncomingWords } from "../../../src/consent/opt-out.ts";
import { type SuppressedAddress, suppress, suppressed } from "../../../src/consent/suppression.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";
import { StatementCounter } from "../../harness/statement-counter.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/suppressions";
const mine = () => app.admin.sub_organization_id;
const check = (mode: "voice" | "sms" | "whatsapp" | "email", ...addresses: string[]) =>
  suppressed(app.db, mine(), mode, addresses);

const entry = (address: string, more: Partial<SuppressedAddress> = {}): SuppressedAddress => ({
  sub_organization_id: mine(),
  address,
  scope: "all",
  reason: "unsubscribed",
  proof: { at: new Date(START), through: "text", said: "STOP", session_id: null, message_id: "SM1" },
  ...more,
});
const put = (...entries: SuppressedAddress[]) =>
  app.db.transaction().execute((tx) => suppress(tx, entries, app.clock.now()));

const write = (address: string, text: string, more: Partial<IncomingWords> = {}) =>
  app.db.transaction().execute((tx) =>
    handleOptOut(
      tx,
      {
        sub_organization_id: mine(),
        medium: "sms",
        address,
        text,
        answered_as: null,
        at: app.clock.now(),
        session_id: null,
        message_id: "SM2",
        language: null,
        sender_name: "Sunrise Clinic",
        ...more,
      },
      app.clock.now(),
    ),
  );

const entries = async (address: string, query = "") =>
  (
    await app.send(
      "GET",
      `${path}/?search_fields=address_exact&search_field_values=${encodeURIComponent(address)}${query}`,
    )
  ).body.items;
const events = async (address: string) =>
  (
    await app.send(
      "GET",
      `/api/v1/events/?search_fields=user_id&search_field_values=${encodeURIComponent(address)}`,
    )
  ).body.items;

describe("the check before sending", () => {
  test("one opt-out on one channel blocks every channel of the address, and nobody else", async () => {
    await put(entry("+15125550001"));
    for (const mode of ["voice", "sms", "whatsapp"] as const) {
      expect(await check(mode, "+15125550001", "+15125550002")).toEqual(
        new Map([["+15125550001", "PRIOR_UNSUBSCRIBED"]]),
      );
    }
    const neighbour = await app.createNeighbour();
    expect(await suppressed(app.db, neighbour.caller.sub_organization_id, "sms", ["+15125550001"])).toEqual(
      new Map(),
    );
  });

  test("a number is found also where the plus of its address was not escaped, as curl sends it", async () => {
    const found = (written: string) =>
      app.send("GET", `${path}/?search_fields=address_exact&search_field_values=${written}`);
    expect((await found("+15125550001")).body.items).toMatchObject([{ address: "+15125550001" }]);
    expect((await found("+512")).body.items).toEqual([]);
  });

  test("an entry of one channel leaves the others open", async () => {
    await put(entry("+15125550003", { scope: "voice", reason: "do-not-call" }));
    expect((await check("voice", "+15125550003")).get("+15125550003")).toBe("PRIOR_UNSUBSCRIBED");
    expect((await check("sms", "+15125550003")).size).toBe(0);
  });

  test("the gravest of several reasons is told", async () => {
    const address = "many@example.com";
    await put(entry(address, { scope: "email", reason: "bounced" }));
    expect((await check("email", address)).get(address)).toBe("PRIOR_BOUNCED");
    await put(entry(address, { reason: "spam-report" }));
    expect((await check("email", address)).get(address)).toBe("PRIOR_SPAM_REPORT");
  });

  test("10,000 addresses are one question", async () => {
    const addresses = Array.from({ length: 10_000 }, (_, n) => `+1512${String(5_560_000 + n)}`);
    await put(entry(addresses[7] as string), entry(addresses[9_999] as string));
    const counter = new StatementCounter();
    const found = await suppressed(app.db.withPlugin(counter), mine(), "sms", addresses);
    expect(found.size).toBe(2);
    expect(counter.count).toBe(1);
  });
});

describe("a word before any model", () => {
  test("STOP is kept with its proof and an event, once however often it comes", async () => {
    const address = "+15125550010";
    const first = await write(address, "Stop!");
    expect(first).toEqual({
      effect: "suppressed",
      reply: expect.stringContaining("Sunrise Clinic: You will not"),
    });
    expect(await write(address, "STOP")).toEqual(first);
    expect(await entries(address)).toMatchObject([
      {
        kind: "phone",
        scope: "all",
        reason: "unsubscribed",
        through: "text",
        said: "Stop!",
        message_id: "SM2",
        occurred_at: expect.stringMatching(/^2026-11-18T12:00:00/),
      },
    ]);
    expect(await events(address)).toMatchObject([
      { category: "suppression", type: "address-suppressed", attributes: { said: "Stop!", through: "text" } },
    ]);
  });

  test("START lifts what the person asked for, and nothing that others put on the list", async () => {
    const address = "+15125550011";
    await write(address, "STOP");
    await put(entry(address, { scope: "voice", reason: "do-not-call" }));
    expect(await write(address, "Start")).toMatchObject({ effect: "restored" });
    expect((await check("sms", address)).size).toBe(0);
    expect((await check("voice", address)).size).toBe(1);
    expect(await entries(address)).toHaveLength(1);
    const lifted = (await app.send("GET", `${path}/?search_fields=lifted&search_field_values=true`)).body
      .items;
    expect(lifted).toMatchObject([
      { address, lifted_through: "text", lifted_said: "Start", lifted_at: expect.any(String) },
    ]);
  });

  test("START of somebody on no list, HELP by mail, and sentences go to the agent", async () => {
    expect(await write("+15125550012", "start")).toBeNull();
    expect(await write("ann@example.com", "help", { medium: "email" })).toBeNull();
    expect(await write("+15125550012", "we have to STOP this bill")).toBeNull();
    expect(await write("+15125550012", "help")).toMatchObject({ effect: "informed" });
    expect((await check("sms", "+15125550012")).size).toBe(0);
  });
});

describe("what the carrier took for a word, and answered itself", () => {
  test("counts in any words, and is not answered again", async () => {
    const address = "+15125550013";
    expect(await write(address, "ya no más, gracias", { answered_as: "stop" })).toEqual({
      effect: "suppressed",
      reply: null,
    });
    expect((await check("voice", address)).size).toBe(1);
    expect(await write(address, "HELP", { answered_as: "help" })).toEqual({
      effect: "informed",
      reply: null,
    });
    expect(await write(address, "sí", { answered_as: "start" })).toEqual({ effect: "restored", reply: null });
    expect((await check("voice", address)).size).toBe(0);
  });

  test("is the agent's where it asks for nothing: a yes of somebody who never said STOP", async () => {
    expect(await write("+15125550014", "yes", { answered_as: "start" })).toBeNull();
  });
});

test("what a person tells the agent is stored with the turn, for their own address only", async () => {
  const { agent_id } = await createAgent(app, {
    script: 'on "leave me alone" -> call opt_out {"said": "leave me alone"} then say "Done."',
    systemTools: ["opt_out"],
  });
  const say = converse(app, agent_id);
  const { text, content } = await say("please leave me alone");
  expect(text).toContain("Done.");
  expect(content.tool_calls).toMatchObject([{ tool_name: "opt_out" }]);
  expect(await entries("tester@example.com")).toMatchObject([
    { reason: "unsubscribed", scope: "all", said: "leave me alone", session_id: String(content.session_id) },
  ]);
});

describe("the operations", () => {
  test("an operator adds and lifts with a reason, and the ledger keeps both", async () => {
    const added = await app.send("POST", `${path}/`, {
      address: " Bob@Example.COM ",
      comment: "asked by letter",
    });
    expect(added).toMatchObject({
      status: 200,
      body: {
        address: "bob@example.com",
        reason: "do-not-call",
        through: "operator",
        created_by: "admin@example.com",
      },
    });
    const again = await app.send("POST", `${path}/`, { address: "bob@example.com" });
    expect(again.body).toEqual(added.body);
    const lifted = await app.send("DELETE", `${path}/${added.body.id}?reason=he%20called%20again`);
    expect(lifted.body).toEqual({ success: true });
    expect((await app.send("DELETE", `${path}/${added.body.id}?reason=again`)).status).toBe(412);
    expect((await app.send("GET", `${path}/${added.body.id}`)).body).toMatchObject({
      lifted_by: "admin@example.com",
      lifted_said: "he called again",
    });
  });

  test.each(["bob", "5125551234", "+1", "a@b", ""])("%j is no address", async (address) => {
    expect(await app.send("POST", `${path}/`, { address })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "address"] }] },
    });
  });

  test("an entry of another organization is not there", async () => {
    const { body } = await app.send("POST", `${path}/`, { address: "private@example.com" });
    const { send } = await app.createNeighbour();
    expect((await send("GET", `${path}/${body.id}`)).status).toBe(404);
    expect((await send("DELETE", `${path}/${body.id}?reason=x`)).status).toBe(404);
    expect((await send("GET", `${path}/csv`)).body).not.toContain("private@example.com");
  });
});

describe("a do-not-call list", () => {
  const upload = (content: string, query = "") =>
    sendForm(app, "POST", `${path}/csv${query}`, { file: { filename: "dnc.csv", content } });

  test("is stored whole, national numbers by their calling code, and known ones are counted", async () => {
    const file =
      'comment,ADDRESS,scope\r\nby law,(512) 555-0100,voice\r\n\r\n,+49 30 901820,\n"a, b",Eve@Example.com,email\r\n';
    expect(await upload(file, "?calling_code=1")).toMatchObject({
      status: 200,
      body: { added: 3, lifted: 0, known: 0 },
    });
    expect(await upload(file, "?calling_code=1")).toMatchObject({
      status: 200,
      body: { added: 0, lifted: 0, known: 3 },
    });
    expect([...(await check("voice", "+15125550100", "+4930901820")).keys()]).toHaveLength(2);
    expect((await check("sms", "+15125550100")).size).toBe(0);
    expect(await entries("eve@example.com")).toMatchObject([
      { through: "import", said: "dnc.csv", comment: "a, b" },
    ]);
  });

  test("can be read beside another of the same people in another order", async () => {
    const people = Array.from({ length: 8_000 }, (_, n) => `p${n}@crowd.example`);
    const file = (order: string[]) => ["address", ...order].join("\r\n");
    const answers = await Promise.all([upload(file(people)), upload(file(people.toReversed()))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(people.length);
  });

  test("with anything wrong in it is stored not at all, and every place is named", async () => {
    const answer = await upload(
      "address,scope,occurred_at\r\n+15125550199,all,\r\nnobody,fax,yesterday\r\n5125550198,,\r\n",
    );
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ["file", 3, "address"] },
          { loc: ["file", 3, "scope"], msg: "Input should be 'all', 'voice', 'sms', 'whatsapp' or 'email'" },
          { loc: ["file", 3, "occurred_at"] },
          { loc: ["file", 4, "address"] },
        ],
      },
    });
    expect((await check("voice", "+15125550199")).size).toBe(0);
    expect(await upload("number\r\n+15125550199\r\n")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["file", 1, "address"] }, { loc: ["file", 1, "number"] }] },
    });
    expect(await upload("address|reason\r\n+15125550199|do-not-call\r\n")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["file", 1], msg: expect.stringMatching(/separated by bars/) }] },
    });
    expect(await upload('address\r\n"+1512\r\n')).toMatchObject({
      status: 422,
      body: { detail: [{ type: "csv_invalid" }] },
    });
    expect((await upload("")).status).toBe(422);
  });

  test("comes out again with all its proof, and no cell is a formula", async () => {
    await put(
      entry("formula@example.com", { proof: { ...entry("x").proof, said: '=HYPERLINK("http://evil")' } }),
    );
    const { body, headers } = await app.send("GET", `${path}/csv`);
    expect(headers["content-type"]).toContain("text/csv");
    expect(body.split("\r\n")[0]).toMatch(/^\uFEFFaddress,kind,scope,reason,occurred_at,through,said/);
    expect(body).toContain(`"'=HYPERLINK(""http://evil"")"`);
    expect(body).toContain("+15125550010,phone,all,unsubscribed");
  });
});
