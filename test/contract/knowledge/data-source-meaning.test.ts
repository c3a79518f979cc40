import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JobContext, JobHandler } from "../../../src/jobs/define-job.ts";
import { searchDataSources } from "../../../src/knowledge/data-source-search.ts";
import { sourcesWithout } from "../../../src/knowledge/source-embedding.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import {
  EMBEDDED_TOKENS,
  embeddedTexts,
  FAKE_KEY,
  type LlmServer,
  type Seen,
  startLlmServer,
} from "../../harness/llm-server.ts";

const MODEL = "openai/text-embedding-3-small";
let server: LlmServer;
let app: TestApp;
beforeAll(async () => {
  server = await startLlmServer();
  const { openai, google } = server.settings;
  const llmProviders = { ...(openai && { openai }), ...(google && { google }) };
  app = await createTestApp({ EMBEDDING_MODEL: MODEL }, undefined, { llmProviders });
});
afterAll(() => server.close());

/** Stands for a model that knows what is alike: a dimension for each subject, one for all others. */
const SUBJECTS = [/refund|reimburse|money back/i, /parking|automobile/i, /opening|öffnung|when .* open/i];
const meaningOf = (text: string): number[] => {
  const about = SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0.01));
  return [...about, about.every((part) => part < 1) ? 1 : 0.01];
};
beforeEach(() => {
  server.requests.length = 0;
  server.reply({ vector: meaningOf });
});

const REFUNDS = `Refunds are paid within fourteen days. ${"We pay to the card you used. ".repeat(30)}`;
const PARKING = `Parking is behind the house. ${"The garage closes at night. ".repeat(30)}`;
/** Too long to be given whole; each paragraph is a part of its own. */
const padded = (...paragraphs: string[]) => {
  const filler = Array.from({ length: 40 }, (_, n) => `Filler ${n}. ${"lorem ipsum dolor ".repeat(50)}`);
  return [...filler.slice(0, 20), ...paragraphs, ...filler.slice(20)].join("\n\n");
};

let counter = 0;
async function save(text: string, send = app.send) {
  const name = `source_${++counter}`;
  const { status, body } = await send("POST", "/api/v1/data_sources/", { name, chunk: false, text });
  expect(status).toBe(200);
  return { name, id: body.id as number };
}
const resave = async ({ id, name }: { id: number; name: string }, text: string) =>
  expect((await app.send("PUT", "/api/v1/data_sources/", { id, name, chunk: false, text })).status).toBe(200);

const jobNamed = (name: string): JobHandler =>
  app.jobs.find(({ job }) => job.name === name) ??
  (() => {
    throw new Error(`no job ${name}`);
  })();
const context = { stopping: new AbortController().signal, abortSignal: new AbortController().signal };
const embed = (id: number) =>
  jobNamed("embed-source").run({ data_source_id: id }, context as unknown as JobContext);
const waiting = async (id: number) => {
  const { rows } = await app.database.pool.query(
    "select count(*)::int as n from graphile_worker.jobs where key = $1",
    [`embed-source:${id}`],
  );
  return rows[0].n as number;
};
const chunksOf = (id: number) =>
  app.db
    .selectFrom("data_source_chunks")
    .select(["position", "text", "embedding", "embedding_model"])
    .where("data_source_id", "=", id)
    .orderBy("position")
    .execute();
const vectors = async (id: number) =>
  (await chunksOf(id)).filter(({ embedding }) => embedding !== null).length;

const search = async (question: string, name: string, of = app.admin) =>
  searchDataSources(app.db, of.sub_organization_id, {
    entries: [name],
    question,
    embedder: await app.engine.embedderOf(of.sub_organization_id),
  });
/** No word of it stands in the text. */
const BY_MEANING = "Could somebody reimburse this purchase?";

describe("with an embedding model, a search in long sources", () => {
  test("finds the part that means what is asked, although they share no word", async () => {
    const source = await save(padded(PARKING, REFUNDS));
    expect(await waiting(source.id)).toBe(1);
    expect((await search(BY_MEANING, source.name)).results).toEqual([]);
    await embed(source.id);
    const { results, embedded } = await search(BY_MEANING, source.name);
    expect(results[0]?.text).toMatch(/^Refunds/);
    expect(results.length).toBeLessThanOrEqual(6);
    expect(embedded).toMatchObject({ model: MODEL, problem: null });
  });

  test("puts what fits by words and by meaning before what fits by one of them", async () => {
    const wordsOnly = `The garage has a form. ${"Garage form. ".repeat(60)}`;
    const source = await save(padded(wordsOnly, PARKING, REFUNDS));
    await embed(source.id);
    const { results } = await search("automobile garage", source.name);
    expect(results[0]?.text).toMatch(/^Parking/);
    expect(results[0]?.score).toBeLessThanOrEqual(1);
    expect(results.some(({ text }) => text.startsWith("The garage"))).toBe(true);
  });

  test("asks for nothing where the sources are given whole or the question has no words", async () => {
    const short = await save("Short.");
    const long = await save(padded(REFUNDS));
    expect((await search(BY_MEANING, short.name)).embedded).toBeNull();
    expect((await search("?!", long.name)).embedded).toBeNull();
    expect(server.requests).toEqual([]);
  });

  test("sees no vector of another organization", async () => {
    const source = await save(padded(REFUNDS));
    await embed(source.id);
    const { caller } = await app.createNeighbour();
    expect(await search(BY_MEANING, source.name, caller)).toMatchObject({
      results: [],
      missing: [source.name],
    });
  });
});

describe("where the provider fails, a search goes by words and says so", () => {
  test.each<[string, () => void, RegExp]>([
    ["a key that it refuses", () => server.reply({ status: 401 }), /OpenAI refused the API key/],
    ["a fault of its own", () => server.reply({ status: 500 }), /fault of its own/],
    ["an answer that is none", () => server.reply({ text: ["hello"] }), /could not be read/],
    ["a vector of nothing", () => server.reply({ vector: () => [0, 0, 0, 0] }), /no usable embeddings/],
    ["a vector of another length", () => server.reply({ vector: () => [] }), /no usable embeddings/],
  ])("%s", async (_what, fails, problem) => {
    const source = await save(padded(REFUNDS));
    await embed(source.id);
    fails();
    const { results, embedded } = await search("refunds", source.name);
    expect(results[0]?.text).toMatch(/^Refunds/);
    expect(embedded?.problem).toMatch(problem);
    expect(JSON.stringify(embedded)).not.toContain(FAKE_KEY);
  });

  test("vectors of another length than the question's count as none", async () => {
    const source = await save(padded(REFUNDS));
    await embed(source.id);
    server.reply({ vector: (text) => [...meaningOf(text), 1] });
    expect((await search(BY_MEANING, source.name)).results).toEqual([]);
  });

  test("an organization's own address is asked through the guard, with its own key", async () => {
    const neighbour = await app.createNeighbour();
    const own = (base_url: string) =>
      neighbour.send("PUT", "/api/v1/llm_providers/openai", { api_key: "sk-neighbour", base_url });
    const source = await save(padded(REFUNDS), neighbour.send);
    await own("http://10.0.0.7/v1");
    const refused = await search("refunds", source.name, neighbour.caller);
    expect(refused.embedded?.problem).toMatch(/10\.0\.0\.7 can't be reached/);
    expect(refused.results[0]?.text).toMatch(/^Refunds/);
    await own(server.settings.openai?.base_url as string);
    await embed(source.id);
    expect((await search(BY_MEANING, source.name, neighbour.caller)).results[0]?.text).toMatch(/^Refunds/);
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer sk-neighbour"]),
    );
  });

  test("in a session the model reads what the words found, and the trace says why it was words alone", async () => {
    const source = await save(padded(REFUNDS));
    await embed(source.id);
    const doc = { field_name: "doc", default_value: [source.name] };
    const { agent_id } = await createAgent(app, {
      script: `
        on /ask (?<what>.+)/ -> call data_source_search {"question": "{what}"}
        after data_source_search -> say "{result.results.0.text}"`,
      systemTools: ["data_source_search"],
      agent: { prompt_tool_defaults: [{ tool_name: "data_source_search", default_values: [doc] }] },
    });
    const say = converse(app, agent_id);
    expect((await say(`ask ${BY_MEANING}`)).text).toMatch(/^Refunds/);
    server.reply({ status: 401 });
    const { text, content } = await say("ask refunds");
    expect(text).toMatch(/^Refunds/);
    const { body } = await app.send("GET", `/api/v1/sessions/${content.session_id}/trace`);
    const told = body.entries.map(({ category, label }: Record<string, string>) => `${category}: ${label}`);
    expect(told).toContain(`http: embedding by ${MODEL}`);
    const embedding = body.entries.find(({ label }: { label: string }) => label.startsWith("embedding"));
    expect(embedding.details).toEqual({ input_tokens: EMBEDDED_TOKENS });
    expect(told).toContain(
      "error: searched by words alone: OpenAI refused the API key; check the one configured. (HTTP 401)",
    );
  });
});

describe("the job that gives vectors to a source", () => {
  test("asks for parts once, and after a change only for those that are new", async () => {
    const source = await save(padded(PARKING));
    await embed(source.id);
    const all = await chunksOf(source.id);
    expect(server.requests.flatMap(embeddedTexts)).toEqual(all.map(({ text }) => text));
    await embed(source.id);
    expect(server.requests.flatMap(embeddedTexts)).toHaveLength(all.length);

    server.requests.length = 0;
    await resave(source, padded(PARKING, REFUNDS));
    await embed(source.id);
    expect(server.requests.flatMap(embeddedTexts)).toEqual([REFUNDS.trim()]);
    expect(await vectors(source.id)).toBe(all.length + 1);
    expect((await chunksOf(source.id)).map(({ position }) => position)).toEqual(
      Array.from({ length: all.length + 1 }, (_, index) => index + 1),
    );
  });

  test("gives no vector of an old text to a new one that was saved while the provider was asked", async () => {
    const source = await save(padded(PARKING));
    const asked = Promise.withResolvers<void>();
    const meanwhile = Promise.withResolvers<void>();
    server.answer(() => {
      asked.resolve();
      return { vector: meaningOf, until: meanwhile.promise };
    });
    const running = embed(source.id);
    await asked.promise;
    await resave(source, padded(REFUNDS));
    meanwhile.resolve();
    await running;
    // The job goes on until nothing lacks a vector; the new text's is its own.
    expect(await vectors(source.id)).toBe((await chunksOf(source.id)).length);
    expect((await search(BY_MEANING, source.name)).results[0]?.text).toMatch(/^Refunds/);
    expect(server.requests.flatMap(embeddedTexts)).toContain(REFUNDS.trim());
  });

  test("leaves nothing behind of a source that was deleted while the provider was asked", async () => {
    const source = await save(padded(PARKING));
    const asked = Promise.withResolvers<void>();
    const meanwhile = Promise.withResolvers<void>();
    server.answer(() => {
      asked.resolve();
      return { vector: meaningOf, until: meanwhile.promise };
    });
    const running = embed(source.id);
    await asked.promise;
    await app.send("DELETE", `/api/v1/data_sources/${source.id}?reason=old`);
    meanwhile.resolve();
    await running;
    expect(await chunksOf(source.id)).toEqual([]);
  });

  test("fails where the key fails, so that it is tried again, and keeps what it had", async () => {
    const source = await save(padded(PARKING));
    let answers = 0;
    server.answer((seen: Seen) =>
      ++answers > 1 && embeddedTexts(seen).length > 0 ? { status: 401 } : { vector: meaningOf },
    );
    await resave(source, [padded(PARKING), padded(REFUNDS)].join("\n\n"));
    await expect(embed(source.id)).rejects.toThrow("OpenAI refused the API key");
    const kept = await vectors(source.id);
    expect(kept).toBe(48);
    server.reply({ vector: meaningOf });
    await embed(source.id);
    expect(await vectors(source.id)).toBe((await chunksOf(source.id)).length);
  });

  test("comes again for sources saved under another model or before there was one", async () => {
    const source = await save(padded(PARKING));
    const done = await save(padded(REFUNDS));
    await embed(source.id);
    await embed(done.id);
    await app.db
      .updateTable("data_source_chunks")
      .set({ embedding_model: "openai/older" })
      .where("data_source_id", "=", source.id)
      .execute();
    await app.database.pool.query("select graphile_worker.remove_job(key) from graphile_worker.jobs");
    expect((await search("automobile", source.name)).results).toEqual([]);
    await jobNamed("embed-sources").run({}, context as unknown as JobContext);
    expect([await waiting(source.id), await waiting(done.id)]).toEqual([1, 0]);
    await embed(source.id);
    expect((await search("automobile", source.name)).results[0]?.text).toMatch(/^Parking/);
  });

  test("finds what is left by an index, however many parts have their vectors", async () => {
    const plan: string[] = await app.db.transaction().execute(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx);
      const { rows } = await sql<{ "QUERY PLAN": string }>`explain ${sourcesWithout(MODEL)}`.execute(tx);
      return rows.map((row) => row["QUERY PLAN"]);
    });
    expect(plan.filter((line) => /Seq Scan on data_source_chunks/.test(line))).toEqual([]);
    expect(
      plan.filter((line) => / on data_source_chunks_model|using data_source_chunks_model/.test(line)),
    ).toHaveLength(3);
  });
});

test("what embeddings took stands in the session summary, by model and by what was embedded", async () => {
  const neighbour = await app.createNeighbour();
  const source = await save(padded(REFUNDS), neighbour.send);
  const before = server.requests.length;
  await embed(source.id);
  const parts = (await chunksOf(source.id)).length;
  const asked = server.requests.length - before;
  await search(BY_MEANING, source.name, neighbour.caller);
  await search("refunds", source.name, neighbour.caller);
  const { body } = await neighbour.send(
    "POST",
    "/api/v1/dashboards/fetch_info?dashboard_name=session_summary",
  );
  const shown = await app.sendAs(null)(
    "GET",
    `/reports/session_summary/data?token=${body.guest_token}&days=1`,
  );
  const table = shown.body.tables.find(({ name }: { name: string }) => name.startsWith("Embeddings"));
  expect(table).toMatchObject({
    columns: ["Model", "Of", "Texts", "Tokens"],
    rows: [
      [MODEL, "Parts of data sources", parts, asked * EMBEDDED_TOKENS],
      [MODEL, "Questions", 2, 2 * EMBEDDED_TOKENS],
    ].toSorted((a, b) => Number(b[3]) - Number(a[3])),
  });
});
