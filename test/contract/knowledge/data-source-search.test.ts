import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { searchDataSources } from "../../../src/knowledge/data-source-search.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

let counter = 0;
const fresh = (name: string) => `${name}_${++counter}`;

async function source(text: string, more: object = {}) {
  const name = fresh("source");
  const answer = await app.send("POST", "/api/v1/data_sources/", { name, chunk: false, text, ...more });
  expect(answer.status).toBe(200);
  return { name, id: answer.body.id as number };
}

/** A text too long to be given whole: paragraphs that are chunks of their own, about nothing in particular. */
const padded = (...paragraphs: string[]) => {
  const filler = Array.from(
    { length: 40 },
    (_, index) => `Filler ${index}. ${"lorem ipsum dolor ".repeat(50)}`,
  );
  return [...filler.slice(0, 20), ...paragraphs, ...filler.slice(20)].join("\n\n");
};
const REFUNDS = `Refunds are paid back within fourteen days. ${"We pay to the card you used. ".repeat(30)}`;
const PARKING = `Parking is behind the house. ${"The garage closes at night. ".repeat(30)}`;
const HINDI = `पार्किंग घर के पीछे है। ${"गैरेज रात में बंद रहता है। ".repeat(30)}`;
const GUJARATI = `પાર્કિંગ ઘરની પાછળ છે. ${"ગેરેજ રાત્રે બંધ રહે છે. ".repeat(30)}`;
const OPENING = `Öffnungszeiten: Montag bis Freitag. ${"Samstags ist geschlossen. ".repeat(30)}`;

const search = (question: string, ...entries: string[]) =>
  searchDataSources(app.db, app.admin.sub_organization_id, { entries, question });
const chunkCount = async (id: number) =>
  (
    await app.db
      .selectFrom("data_source_chunks")
      .select("position")
      .where("data_source_id", "=", id)
      .execute()
  ).length;

describe("a search in data sources", () => {
  test("gives short sources whole, in the order they were asked for, by name or label", async () => {
    const label = fresh("label");
    const a = await source("About us.", { labels: [label] });
    const b = await source("Prices.", { labels: [label] });
    expect(await search("?", b.name, "nowhere", label)).toMatchObject({
      results: [
        { data_source: b.name, text: "Prices.", score: 1 },
        { data_source: a.name, text: "About us.", score: 1 },
      ],
      missing: ["nowhere"],
    });
  });

  test("takes a name for the source of that name, also where others have it as a label", async () => {
    const named = await source("Named.");
    await source("Labelled.", { labels: [named.name] });
    expect((await search("?", named.name)).results).toMatchObject([{ text: "Named." }]);
  });

  test.each([
    ["its words", "How are refunds paid?", "Refunds"],
    ["other forms of its words", "when will you refund my payment", "Refunds"],
    ["misspelt words", "can I get refunts", "Refunds"],
    ["words of another language", "Wann sind die Öffnungszeiten?", "Öffnungszeiten"],
    ["misspelt words of another language", "öfnungszeiten samstag", "Öffnungszeiten"],
    ["words whose vowels are marks, in Hindi", "पार्किंग कहाँ है?", "पार्किंग"],
    ["words whose vowels are marks, in Gujarati", "પાર્કિંગ ક્યાં છે?", "પાર્કિંગ"],
    ["one of two subjects", "where is the parking garage", "Parking"],
  ])("finds in a long text the part that a question is about, by %s", async (_how, question, begins) => {
    const { name } = await source(padded(REFUNDS, PARKING, OPENING, HINDI, GUJARATI));
    const { results, missing } = await search(question, name);
    expect(missing).toEqual([]);
    expect(results.length).toBeLessThanOrEqual(6);
    expect(results[0]?.text.startsWith(begins)).toBe(true);
    expect(results.every(({ text }) => text.length <= 1_200)).toBe(true);
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ score }) => score).toSorted((a, b) => b - a),
    );
  });

  test.each([
    ["Japanese", "駐車場はいくらですか", "駐車場の料金"],
    ["Japanese, of what is open when", "土曜日の営業時間を教えてください", "営業時間"],
    ["Chinese", "停车费多少钱?", "停车费"],
    ["Cantonese, among English words", "Parking 泊車幾錢", "泊車"],
    ["Thai", "ที่จอดรถราคาเท่าไหร่", "ค่าที่จอดรถ"],
    ["Korean, with another particle and compound", "주차는 얼마인가요?", "주차장 요금은"],
    ["Korean, of a word that stands alone elsewhere", "환불을 받으려면 며칠 걸리나요", "환불에는"],
  ])("finds the part in %s, where words do not stand between blanks", async (_, question, begins) => {
    // So long that no two stand in one part.
    const long = (sentence: string) => sentence.repeat(Math.ceil(700 / sentence.length));
    const parts = [
      `駐車場の料金は一時間三百円です。${long("建物の裏にあります。")}`,
      `営業時間は月曜日から土曜日の九時から五時までです。${long("日曜日は休みです。")}`,
      `返品は十四日以内にお願いします。${long("料金はカードに返金されます。")}`,
      `停车费每小时三元。${long("停车场在房子后面。")}`,
      `退款需要多少天?十四天。${long("钱会退回到您的卡上。")}`,
      `泊車每小時三十蚊。${long("停車場喺屋後面。")}`,
      `ค่าที่จอดรถชั่วโมงละยี่สิบบาท${long("อยู่หลังบ้าน")}`,
      `주차장 요금은 시간당 삼천 원입니다.${long(" 건물 뒤에 있습니다.")}`,
      `환불에는 십사 일이 걸립니다.${long(" 카드로 돌려드립니다.")}`,
      `การคืนเงินใช้เวลาสิบสี่วัน${long("เราจะคืนเงินเข้าบัตร")}`,
    ];
    const { name } = await source(padded(...parts));
    const { results } = await search(question, name);
    expect(results[0]?.text.startsWith(begins)).toBe(true);
    expect(results[0]?.score).toBeLessThanOrEqual(1);
    expect((await search("洗車", name)).results).toEqual([]);
  });

  test("finds the part wherever it lies, among several long sources", async () => {
    const first = await source(padded(PARKING));
    const second = await source(padded(REFUNDS));
    const { results } = await search("refunds", first.name, second.name);
    expect(results[0]).toMatchObject({ data_source: second.name, text: expect.stringMatching(/^Refunds/) });
  });

  test("cuts where the delimiter says, if the source has parts", async () => {
    const parts = Array.from({ length: 400 }, (_, index) => `Question ${index}? ${"answer ".repeat(10)}`);
    const { name, id } = await source(parts.join("\n##\n"), { chunk: true, chunk_delimiter: "##" });
    expect(await chunkCount(id)).toBe(400);
    expect((await search("question 217", name)).results[0]?.text).toMatch(/^Question 217\?/);
  });

  test("finds nothing for a question without words, or of words that nothing holds", async () => {
    const { name } = await source(padded(REFUNDS));
    expect((await search("?!", name)).results).toEqual([]);
    expect((await search("xylophone", name)).results).toEqual([]);
    // What looks like an operator of a query is only text.
    expect((await search("refunds & | ! ( :* <-> '", name)).results[0]?.text).toMatch(/^Refunds/);
  });

  test("finds what the text is now, and nothing of a source that was deleted", async () => {
    const { name, id } = await source(padded(REFUNDS));
    const changed = { id, name, chunk: false, text: padded(PARKING) };
    await app.send("PUT", "/api/v1/data_sources/", changed);
    expect((await search("refunds", name)).results).toEqual([]);
    expect((await search("parking", name)).results[0]?.text).toMatch(/^Parking/);
    await app.send("DELETE", `/api/v1/data_sources/${id}?reason=old`);
    expect(await search("parking", name)).toMatchObject({ results: [], missing: [name] });
    expect(await chunkCount(id)).toBe(0);
  });

  test("cuts a source that was stored before searches were, once", async () => {
    const { name, id } = await source(padded(REFUNDS));
    const before = await chunkCount(id);
    await app.db.deleteFrom("data_source_chunks").where("data_source_id", "=", id).execute();
    const found = await Promise.all([search("refunds", name), search("refunds", name)]);
    for (const { results } of found) expect(results[0]?.text).toMatch(/^Refunds/);
    expect(await chunkCount(id)).toBe(before);
  });

  test("sees no source of another organization", async () => {
    const { name } = await source("Secret.");
    const { caller } = await app.createNeighbour();
    const asked = { entries: [name], question: "secret" };
    expect(await searchDataSources(app.db, caller.sub_organization_id, asked)).toMatchObject({
      results: [],
      missing: [name],
    });
  });

  test("finds whole words where the database has no trigrams", async () => {
    const { name } = await source(padded(REFUNDS));
    await app.db
      .transaction()
      .execute(async (tx) => {
        await sql`drop extension pg_trgm cascade`.execute(tx);
        const asked = (question: string) =>
          searchDataSources(tx, app.admin.sub_organization_id, { entries: [name], question });
        expect((await asked("refund")).results[0]?.text).toMatch(/^Refunds/);
        expect((await asked("refunts")).results).toEqual([]);
        throw new Error("undone");
      })
      .catch((error: Error) => expect(error.message).toBe("undone"));
  });
});

describe("the tool data_source_search", () => {
  const talk = async (doc: unknown) => {
    const { agent_id } = await createAgent(app, {
      script: `
        on /ask (?<what>.+)/ -> call data_source_search {"question": "{what}"}
        after data_source_search if error -> say "No: {result.error.message}"
        after data_source_search -> say "{result.results.0.text}"`,
      systemTools: ["data_source_search"],
      agent: {
        prompt_tool_defaults: [
          { tool_name: "data_source_search", default_values: [{ field_name: "doc", default_value: doc }] },
        ],
      },
    });
    return { say: converse(app, agent_id), agent_id };
  };

  test("answers the model from the sources that the agent names; templates in them stay text", async () => {
    const { name } = await source("We open at 9. {{ vars.session.date }}");
    const { say } = await talk([name]);
    const { text, content } = await say("ask when do you open");
    expect(text).toBe("We open at 9. {{ vars.session.date }}");
    expect(content.tool_calls).toMatchObject([
      {
        tool_arguments: { question: "when do you open" },
        tool_request: { question: "when do you open", doc: [name] },
        tool_result: { results: [{ data_source: name, score: 1 }], missing: [] },
        tool_error: null,
      },
    ]);
  });

  test("is told to lack its data sources when the agent is saved without any", async () => {
    const { agent_id } = await createAgent(app, { script: "", systemTools: ["data_source_search"] });
    const { channel_targets: _, ...saved } = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
    const put = await app.send("PUT", "/api/v1/agents/", { ...saved, prompt_tool_defaults: [] });
    expect(put.body.validation_issues).toMatchObject([
      { id: "missing-tool-setting", severity: "warning", path: "$.prompt_tool_defaults" },
    ]);
  });

  test("says which sources are not there, when it is called and when the agent is saved", async () => {
    const { say, agent_id } = await talk(["nowhere"]);
    expect((await say("ask anything")).text).toBe("No: There is no data source or label named nowhere.");
    const agent = await app.send("GET", `/api/v1/agents/${agent_id}`);
    expect(agent.body.validation_issues).toMatchObject([
      {
        id: "unknown-data-source",
        severity: "warning",
        path: "$.prompt_tool_defaults[0].default_values[0].default_value[0]",
      },
    ]);
    await app.send("POST", "/api/v1/data_sources/", { name: "nowhere", chunk: false, text: "Now it is." });
    expect((await app.send("GET", `/api/v1/agents/${agent_id}`)).body.validation_issues).toEqual([]);
    expect((await say("ask anything")).text).toBe("Now it is.");
  });
});
