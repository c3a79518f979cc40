import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { SEALED_MARK } from "../../src/base/sealed-text.ts";
import { json } from "../../src/db/database.ts";
import { runErasure } from "../../src/erasure/erase-people.ts";
import { sealStored } from "../../src/erasure/seal-stored.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { organizationDocuments } from "../../src/redaction/text-sealer.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { playRun } from "../harness/evaluations.ts";
import { placesOf } from "../harness/everywhere.ts";
import { createPeer } from "../harness/peer.ts";
import { rounds } from "../harness/seed.ts";
import { createNumber, createSimulatedApp, eventually } from "../harness/simulated.ts";

/** Tests that were made of conversations, and tests of campaigns, in an organization that seals. */
let app: TestApp;
let agent: string;

const sealsIn = async (one: TestApp, seal_texts: boolean) =>
  expect((await one.send("PUT", "/api/v1/organizations/privacy", { seal_texts })).status).toBe(200);
const ok = async (method: string, path: string, body?: object) => {
  const answer = await app.send(method, `/api/v1/${path}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  const peer = await createPeer();
  const parameters = { type: "object", properties: { about: { type: "string" } }, required: ["about"] };
  const { agent_id } = await createAgent(app, {
    script: [
      'on /my (?<about>.+)/ -> call advise {"about": "{about}"}',
      'on "bye" -> call hangup {"reason": "done"}',
      'after advise if error -> say "That failed."',
      'after advise -> say "Please {result.advice}."',
      'after hangup -> say ""',
    ].join("\n"),
    tools: [endpointTool("advise", `${peer.url}/advise`, { parameters })],
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: "Hello." },
  });
  agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.name;
});

let counter = 0;
const caseOf = (word: string, name = `case ${++counter}`) => ({
  name,
  person: [`my ${word} limps`, "bye"],
  mocks: [{ tool: "advise", match: { about: `${word} limps` }, result: { advice: `rub the ${word}` } }],
  // The first expectation fails, so that its verdict quotes what was called.
  expect: {
    called: [{ tool: "advise", arguments: { about: `another ${word}` } }],
    said: [`rub the ${word}`],
  },
});
const suiteOf = (cases: object[]) => ({ name: `Suite ${++counter}`, agent, cases });

async function throughASuite(word: string) {
  const first = suiteOf([caseOf("nobody"), caseOf(word)]);
  const { id } = await ok("POST", "test_suites/", first);
  await ok("PUT", "test_suites/", { ...first, id, description: "again" });
  const { text } = await ok("GET", `test_suites/${id}/export`);
  await ok("POST", "test_suites/import", { text });
  const { id: run_id } = await ok("POST", `test_suites/${id}/runs`, { repetitions: 2 });
  await playRun(app, run_id);
  const { items } = await ok("GET", `test_runs/${run_id}/results?limit=100`);
  const suite = await ok("GET", `test_suites/${id}`);
  return { id, run_id, text, items, cases: suite.cases, run: await ok("GET", `test_runs/${run_id}`) };
}

/** Sessions of tests are sealed by their own rules; the model's script is what an author wrote. */
const OF_TESTS = ["test_cases.definition", "test_results.verdicts", "test_runs.cases"];
const placesOfTests = async (word: string) =>
  (await placesOf(app, word)).filter((place) => place.startsWith("test_") || place.startsWith("audit"));

test("a test made of a conversation lies sealed with its runs and verdicts, and is played, judged, edited and exported as without the seal", async () => {
  const clear = await throughASuite("giraffe");
  expect(await placesOfTests("giraffe")).toEqual([
    "audit_entries.after",
    "audit_entries.before",
    ...OF_TESTS,
  ]);
  await sealsIn(app, true);
  const sealed = await throughASuite("zebra");
  expect(await placesOf(app, "zebra")).toEqual([]);

  const shown = ({ items, cases, run, text }: typeof clear, word: string) => {
    const results = items.map(({ status, verdicts, notes, repetition }: Record<string, unknown>) => ({
      status,
      verdicts,
      notes,
      repetition,
    }));
    const json = JSON.stringify([results, cases, run.summary.cases, text.split("cases:")[1]]);
    return json.replaceAll(word, "WORD").replaceAll(/case \d+/g, "case");
  };
  expect(shown(sealed, "zebra")).toEqual(shown(clear, "giraffe"));
  expect(JSON.stringify(sealed.items)).toContain("another zebra");
  expect(JSON.stringify(sealed)).not.toContain(SEALED_MARK);

  // The trail has who, when and the names.
  const { items } = await ok("GET", "audit_entries/?limit=1&search_fields=action&search_field_values=update");
  expect(items[0].after.cases.map((one: object) => Object.keys(one))).toEqual([["name"], ["name"]]);
});

test("tests from before the switch are read as before, and the rotation seals them", async () => {
  await sealsIn(app, false);
  const before = await throughASuite("ocelot");
  await sealsIn(app, true);
  // One with a part that is sealed already, as an erasure leaves notes in clear beside it.
  const seal = await organizationDocuments(app.db, app.vault, app.admin.sub_organization_id, "half");
  const [half] = before.items;
  await app.db
    .updateTable("test_results")
    .set({ verdicts: json(seal(half.verdicts)) })
    .where("id", "=", half.id)
    .execute();
  // Dies after each of its transactions, one after the other.
  const dying = () => {
    throw new Error("killed");
  };
  let deaths = 0;
  for (; deaths < 20; deaths++) {
    const isDone = await sealStored(app, {}, dying).then(
      () => true,
      () => false,
    );
    expect((await ok("GET", `test_suites/${before.id}`)).cases).toEqual(before.cases);
    if (isDone) break;
  }
  // Cases, runs and results.
  expect(deaths).toBe(3);
  expect((await placesOfTests("ocelot")).filter((place) => !place.startsWith("audit"))).toEqual([]);
  const { items } = await ok("GET", `test_runs/${before.run_id}/results?limit=100`);
  expect(items).toEqual(before.items);
  expect((await ok("GET", `test_suites/${before.id}`)).cases).toEqual(before.cases);
  expect(await sealStored(app)).toEqual({ sealed: 0, left: 0 });
});

test("what somebody holds is passed over by the rotation, counted, and sealed the next time", async () => {
  await sealsIn(app, false);
  const { id } = await ok("POST", "test_suites/", suiteOf([caseOf("lynx"), caseOf("lynx")]));
  await sealsIn(app, true);
  const holder = await app.database.pool.connect();
  await holder.query("begin");
  await holder.query("select from test_cases where suite_id = $1 and position = 0 for update", [id]);
  expect(await sealStored(app)).toEqual({ sealed: 1, left: 1 });
  await holder.query("commit");
  holder.release();
  expect(await sealStored(app)).toEqual({ sealed: 1, left: 0 });
  expect((await placesOfTests("lynx")).filter((place) => !place.startsWith("audit"))).toEqual([]);
});

test("a document of any content that is sealed as one value is read as it was, also within another", async () => {
  await sealsIn(app, true);
  const seal = await organizationDocuments(app.db, app.vault, app.admin.sub_organization_id, "property");
  const text = fc.string({ unit: "grapheme", maxLength: 60 }).map((value) => value.replaceAll("\0", ""));
  const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text), fc.dictionary(text, text));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(text, value, { maxKeys: 6 }), async (document) => {
      const plain = JSON.stringify(document);
      const sealed = JSON.stringify(seal(document));
      expect(sealed.startsWith(`"${SEALED_MARK}`)).toBe(plain !== "{}");
      const { rows } = await sql<{ document: object; within: string; listed: unknown }>`
        select d.document, json_build_object('it', d.document)::text as within, (${`[1,${sealed}]`}::json -> 1) as listed
        from (select ${sealed}::json as document) d`.execute(app.db);
      const read = JSON.parse(plain);
      expect(rows[0]?.document).toEqual(read);
      expect(rows[0]?.listed).toEqual(read);
      expect(JSON.parse(rows[0]?.within ?? "")).toEqual({ it: read });
    }),
    { numRuns: rounds(100) },
  );
});

test("an erasure finds whoever is quoted in sealed tests, in any case and depth, and nobody else", async () => {
  const person = "Quoted.Person@Example.com";
  const cases = (word: string) => [
    caseOf(word, "in its lines"),
    // In the name of a field, deep within.
    { ...caseOf("x", "in a mock"), mocks: [{ tool: "advise", result: { deep: [{ [word]: [1] }] } }] },
    caseOf("x", "nowhere"),
  ];
  await sealsIn(app, true);
  const quoted = await ok("POST", "test_suites/", suiteOf(cases(`write to ${person.toUpperCase()} now`)));
  const other = await ok("POST", "test_suites/", suiteOf(cases("somebody.else@example.com")));
  await sealsIn(app, false);
  const clear = await ok("POST", "test_suites/", suiteOf(cases(`write to ${person.toUpperCase()} now`)));
  await sealsIn(app, true);
  const runs = [];
  for (const { id } of [quoted, other, clear]) runs.push((await ok("POST", `test_suites/${id}/runs`, {})).id);
  // Of more than are read at once.
  await sql`insert into test_cases (sub_organization_id, suite_id, position, name, definition)
    select sub_organization_id, suite_id, position + 10 * n, name || n, definition
    from test_cases, generate_series(1, 150) n where suite_id = any(${[quoted.id, other.id]}::bigint[])`.execute(
    app.db,
  );

  const { erasure: _, ...counts } = await ok("POST", "erasures/preview", { address: person });
  expect(counts).toMatchObject({ counts: { test_cases: 2 * 151 + 2, test_runs_blanked: 2 } });
  const { id } = await ok("POST", "erasures/", { address: person });
  await runErasure(app as never, id);
  expect(await ok("GET", `erasures/${id}`)).toMatchObject({
    status: "COMPLETED",
    counts: { test_cases: 2 * 151 + 2, test_runs_blanked: 2 },
  });
  const left = async (suite_id: number) => (await ok("GET", `test_suites/${suite_id}`)).cases.length;
  expect([await left(quoted.id), await left(other.id), await left(clear.id)]).toEqual([151, 3 * 151, 1]);
  const rows = await app.db.selectFrom("test_runs").select(["id", "cases"]).where("id", "in", runs).execute();
  const kept = rows.toSorted((a, b) => a.id - b.id).map(({ cases }) => (cases as unknown[]).length);
  expect(kept).toEqual([0, 3, 0]);
});

test("the variables of a campaign's test lie sealed, and the person is called by them", async () => {
  const calling = await createSimulatedApp({ speed: 60 });
  await sealsIn(calling, true);
  const { agent_id } = await createAgent(calling, {
    script: 'on /bye|wrong number/ -> say "Goodbye." then call hangup {}\non /.*/ -> say "Noted."',
    systemTools: ["hangup", "leave_voicemail"],
    greeting: { type: "greeting", text: "Hello {{ vars.name }}, it is the clinic." },
  });
  const line = await createNumber(calling, agent_id, { modes: ["voice"] });
  const { body } = await calling.send("POST", "/api/v1/outbound/campaigns", {
    campaign_name: "Campaign",
    campaign_variables: { name: "nobody" },
    retry_count: 0,
    source: line.number,
    caller_id: line.number,
    active_days: [],
    hourly_rate: 60,
  });
  const tests = `/api/v1/outbound/campaigns/${body.id}/tests`;
  const begun = { target: "+15127770001", request_variables: { name: "Zebrina" } };
  expect((await calling.send("POST", tests, begun)).status).toBe(200);
  const done = await eventually(
    async () => (await calling.send("GET", tests)).body[0],
    ({ channel_status }) => channel_status === "COMPLETED",
  );
  const { body: said } = await calling.send("GET", `/api/v1/sessions/transcript/${done.session_id}`);
  expect(JSON.stringify(said)).toContain("Hello Zebrina, it is the clinic.");
  expect(await placesOf(calling, "zebrina")).toEqual([]);
});
