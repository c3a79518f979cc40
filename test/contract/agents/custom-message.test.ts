import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CustomMessageResponse } from "../../../src/agents/custom-message.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/custom_messages/";
const create = async (input: object) => (await app.send("POST", path, input)).body;
const get = (id: number) => app.send("GET", `${path}${id}`);
const rule = (more: object) => ({ description: "d", invert: false, text: "t", ...more });

describe("custom messages", () => {
  test("a created message comes back with every field of its contract", async () => {
    const { status, body } = await app.send("POST", path, { name: "Hello", text: "Hi {{ name }}" });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "Hello",
      type: "greeting",
      preamble: null,
      text: "Hi {{ name }}",
      subject: null,
      label: null,
      repeat_after_language_change: false,
      rules: [],
      id: expect.any(Number),
      updated_at: "2026-11-18T12:00:00+00:00",
      agent_count: 0,
      last_updated_by: "admin@example.com",
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(CustomMessageResponse.parse(body)).toEqual(body);
  });

  test("an update replaces everything; what is omitted is gone", async () => {
    const made = await create({
      name: "Before",
      text: "a",
      preamble: "p",
      label: "l",
      rules: [rule({ days_of_week: ["mo"] })],
    });
    app.clock.advance(60_000);
    const { status, body } = await app.send("PUT", path, { id: made.id, name: "After", text: "b" });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      name: "After",
      text: "b",
      preamble: null,
      label: null,
      rules: [],
      updated_at: "2026-11-18T12:01:00+00:00",
    });
    expect((await get(made.id)).body).toEqual(body);
  });

  test("repeat_after_language_change: null or omitted is false on create and keeps on update", async () => {
    const put = async (id: number, repeat_after_language_change?: boolean | null) =>
      (await app.send("PUT", path, { id, name: "Repeat", text: "t", repeat_after_language_change })).body
        .repeat_after_language_change;
    const made = await create({ name: "Repeat", text: "t", repeat_after_language_change: null });
    expect(made.repeat_after_language_change).toBe(false);
    expect(await put(made.id, true)).toBe(true);
    expect(await put(made.id)).toBe(true);
    expect(await put(made.id, null)).toBe(true);
    expect(await put(made.id, false)).toBe(false);
    expect(await put(made.id)).toBe(false);
  });

  test.each([
    ["no name", { text: "t" }, ["name"], "missing"],
    ["no text", { name: "n" }, ["text"], "missing"],
    ["unknown type", { name: "n", text: "t", type: "sms" }, ["type"], "enum"],
    [
      "template without subject",
      { name: "n", text: "t", type: "email_template" },
      ["subject"],
      "value_error",
    ],
    [
      "template with an empty subject",
      { name: "n", text: "t", type: "email_template", subject: "" },
      ["subject"],
      "value_error",
    ],
    [
      "template with a subject of blanks",
      { name: "n", text: "t", type: "email_template", subject: " \t" },
      ["subject"],
      "value_error",
    ],
    [
      "language menu in the preamble",
      { name: "n", text: "t", preamble: "Welcome {{language.mode}}" },
      ["preamble"],
      "value_error",
    ],
    [
      "language menu with blanks in the preamble",
      { name: "n", text: "t", preamble: "{{  language.mode }}" },
      ["preamble"],
      "value_error",
    ],
    [
      "repeat that is no boolean",
      { name: "n", text: "t", repeat_after_language_change: "yes" },
      ["repeat_after_language_change"],
      "bool_type",
    ],
    ["rules that are no list", { name: "n", text: "t", rules: {} }, ["rules"], "list_type"],
  ])("a message with %s is refused at its place", async (_, body, at, type) => {
    const answer = await app.send("POST", path, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test.each([
    ["no description", { description: undefined }, ["description"], "missing"],
    ["no invert", { invert: undefined }, ["invert"], "missing"],
    ["no text", { text: undefined }, ["text"], "missing"],
    [
      "an hour of 24",
      { time_range_start: "24:00", time_range_end: "08:00" },
      ["time_range_start"],
      "string_pattern_mismatch",
    ],
    [
      "an hour of one digit",
      { time_range_start: "07:00", time_range_end: "8:00" },
      ["time_range_end"],
      "string_pattern_mismatch",
    ],
    [
      "seconds",
      { time_range_start: "07:00", time_range_end: "08:00:00" },
      ["time_range_end"],
      "string_pattern_mismatch",
    ],
    ["a date that is none", { date: "2026-02-30" }, ["date"], "value_error"],
    ["a date before 1900", { date: "1899-12-31" }, ["date"], "string_pattern_mismatch"],
    ["a date in another spelling", { date: "12/31/2026" }, ["date"], "string_pattern_mismatch"],
    ["a weekday of three letters", { days_of_week: ["mon"] }, ["days_of_week", 0], "enum"],
    ["a date and weekdays", { date: "2026-12-24", days_of_week: ["th"] }, ["days_of_week"], "value_error"],
  ])("a rule with %s is refused at its place", async (_, broken, at, type) => {
    const rules = [rule({}), rule(broken)];
    const answer = await app.send("POST", path, { name: "Rules", text: "t", rules });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", "rules", 1, ...at], msg: expect.any(String), type }]);
  });

  test("all there is to mend is named at once, of shapes and of rules", async () => {
    const rule = { description: "d", invert: false, text: "x", date: "2026-01-01", days_of_week: ["mo"] };
    const { status, body } = await app.send("POST", path, {
      type: "email_template",
      text: 7,
      rules: [rule, { ...rule, invert: "no" }, { ...rule, date: 7 }, { ...rule, days_of_week: "mo" }],
    });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(1).join(".")).toSorted()).toEqual([
      "name",
      "rules.0.days_of_week",
      "rules.1.days_of_week",
      "rules.1.invert",
      "rules.2.date",
      "rules.3.days_of_week",
      "subject",
      "text",
    ]);
  });

  test("a greeting's subject is ignored, and the answer says so", async () => {
    const ignored = [{ id: "subject-ignored", severity: "info", path: "$.subject", value: "s" }];
    const created = await create({ name: "Subjects", text: "t", subject: "s" });
    expect(created).toMatchObject({ subject: null, validation_issues: ignored });
    const { body } = await app.send("PUT", path, { id: created.id, name: "n", text: "t", subject: "s" });
    expect(body).toMatchObject({ subject: null, validation_issues: ignored });
    expect((await get(created.id)).body).not.toHaveProperty("validation_issues");
  });

  test("a rule without a text is stored, and whoever saves or reads the message is warned of it at its place", async () => {
    const rules = [rule({}), rule({ text: " " })];
    const warned = [{ id: "rule-without-text", severity: "warning", path: "$.rules[1].text", value: " " }];
    const created = await create({ name: "Silent", text: "t", rules });
    expect(created).toMatchObject({ validation_issues: warned });
    const { body } = await app.send("PUT", path, { id: created.id, name: "Silent", text: "t", rules });
    expect(body).toMatchObject({ validation_issues: warned });
    expect((await get(created.id)).body).toMatchObject({ validation_issues: warned });
    const listed = await app.send("GET", `${path}?search_fields=id&search_field_values=${created.id}`);
    expect(listed.body.items).toMatchObject([{ validation_issues: warned }]);
    const { agent_id } = await createAgent(app, { script: "", agent: { custom_message_id: created.id } });
    const nested = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.custom_message;
    expect(nested).toMatchObject({ validation_issues: warned });
    const spoken = await app.send("PUT", path, {
      id: created.id,
      name: "Silent",
      text: "t",
      rules: [rule({})],
    });
    expect(spoken.body).not.toHaveProperty("validation_issues");
  });

  test("a template that is never filled in is saved, and the answer warns of it at its place", async () => {
    const found = async (more: object) => {
      const name = JSON.stringify(more);
      const { validation_issues = [] } = await create({
        name,
        text: "{{ name }}, {{ language.mode }}",
        ...more,
      });
      return validation_issues.map(({ id, path }: { id: string; path: string }) => [id, path]);
    };
    expect(await found({})).toEqual([]);
    expect(await found({ text: "Hi {{ first name }}" })).toEqual([["template-never-filled", "$.text"]]);
    expect(await found({ preamble: "On {{ vars.session.today }}:" })).toEqual([
      ["unknown-system-variable", "$.preamble"],
    ]);
    expect(await found({ rules: [rule({ text: "{{ name | upper }}" })] })).toEqual([
      ["template-never-filled", "$.rules[0].text"],
    ]);
    const mail = { type: "email_template", subject: "{{ vars.session.time }}" };
    expect(await found(mail)).toEqual([["unknown-system-variable", "$.subject"]]);
  });

  test("a rule may have a start or an end alone", async () => {
    const rules = [
      rule({ time_range_start: "17:00", text: "evening" }),
      rule({ time_range_end: "08:00", text: "early" }),
    ];
    const made = await create({ name: "Open ends", text: "t", rules });
    expect(made.rules).toMatchObject([
      { time_range_start: "17:00", time_range_end: null },
      { time_range_start: null, time_range_end: "08:00" },
    ]);
  });

  test("a neighbour's message answers 404 like one that never was", async () => {
    const made = await create({ name: "Mine", text: "t" });
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}${made.id}`],
      ["PUT", path, { id: made.id, name: "Taken", text: "t" }],
      ["DELETE", `${path}${made.id}?reason=x`],
    ] as const) {
      expect(await neighbour.send(method, url, body)).toMatchObject({
        status: 404,
        body: { detail: `Custom message with ID ${made.id} not found` },
      });
    }
    expect((await neighbour.send("GET", path)).body.total_count).toBe(0);
    expect((await neighbour.send("POST", path, { name: "Mine", text: "t" })).status).toBe(200);
  });

  test("a message that agents use can't be deleted, and then it can", async () => {
    const made = await create({ name: "Used", text: "t" });
    const prompt = await app.send("POST", "/api/v1/prompts/", {
      name: "For a greeting",
      type: "prompt_v1",
      llm_config: { model: "scripted" },
    });
    const agent = await app.send("POST", "/api/v1/agents/", {
      name: "Greeter",
      type: "ca_v1",
      prompt_id: prompt.body.id,
      custom_message_id: made.id,
      timezone: "UTC",
      variables: {},
      tool_headers: null,
    });
    expect((await get(made.id)).body.agent_count).toBe(1);
    const byAgent = `${path}?search_fields=agent_id&search_field_values=${agent.body.id}`;
    expect((await app.send("GET", byAgent)).body.items).toMatchObject([{ id: made.id, agent_count: 1 }]);
    expect(await app.send("DELETE", `${path}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: { detail: 'Cannot delete custom message "Used" while it is used by agent "Greeter".' },
    });
    await app.send("DELETE", `/api/v1/agents/${agent.body.id}?reason=x`);
    expect(await app.send("DELETE", `${path}${made.id}?reason=x`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await get(made.id)).status).toBe(404);
  });

  test("a delete asks for a reason", async () => {
    const made = await create({ name: "No reason", text: "t" });
    expect(await app.send("DELETE", `${path}${made.id}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "reason"], type: "missing" }] },
    });
  });

  test("lists are searched by their fields, ordered and paged", async () => {
    for (const [name, label] of [
      ["list a", "x"],
      ["list ab", "y"],
      ["list c", "x"],
    ]) {
      await create({ name, label, text: `text of ${name}`, type: "email_template", subject: "s" });
    }
    const names = async (query: string) =>
      (await app.send("GET", `${path}?${query}`)).body.items.map((item: { name: string }) => item.name);
    const by = (field: string, value: string) =>
      `search_fields=${field}&search_field_values=${encodeURIComponent(value)}`;
    expect(await names(by("name", "LIST A"))).toEqual(["list a", "list ab"]);
    expect(await names(by("name_exact", "list a"))).toEqual(["list a"]);
    expect(await names(by("text", "of list c"))).toEqual(["list c"]);
    expect(await names(`${by("label", "x")}&${by("type", "email_template")}`)).toEqual(["list a", "list c"]);
    expect(await names(by("type", "email"))).toEqual([]);
    expect(await names(`${by("name", "list")}&order_by=name&order_by_direction=desc&limit=2`)).toEqual([
      "list c",
      "list ab",
    ]);
    expect(await names(`${by("name", "list")}&order_by=agent_id&page=1&limit=2`)).toEqual(["list c"]);
    const { items } = (await app.send("GET", `${path}?${by("name", "list")}&fields=name`)).body;
    expect(items[0]).toMatchObject({ name: "list a", label: null, subject: null, agent_count: null });
  });

  test("any accepted message comes back as it was sent", async () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([h, m]) => `${String(h).padStart(2, "0")}:${String(m).padStart(2, "0")}`);
    const text = fc.string({ unit: "grapheme" });
    const date = fc
      .date({ min: new Date("1900-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
      .map((day) => ({ date: day.toISOString().slice(0, 10), days_of_week: null }));
    const days = fc
      .subarray(["mo", "tu", "we", "th", "fr", "sa", "su"])
      .map((days_of_week) => ({ date: null, days_of_week }));
    const times = fc.oneof(
      fc.constant({ time_range_start: null, time_range_end: null }),
      fc.record({ time_range_start: time, time_range_end: time }),
    );
    const rules = fc.array(
      fc
        .tuple(fc.record({ description: text, invert: fc.boolean(), text }), fc.oneof(date, days), times)
        .map((parts) => Object.assign({}, ...parts)),
      { maxLength: 4 },
    );
    const kind = fc.oneof(
      fc.constant({ type: "greeting", subject: null }),
      fc.record({
        type: fc.constant("email_template"),
        subject: text.filter((given) => given.trim() !== ""),
      }),
    );
    const rest = fc.record({
      preamble: fc.option(text),
      text,
      label: fc.option(text),
      repeat_after_language_change: fc.boolean(),
      rules,
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(kind, rest, async (one, other) => {
        const input = { name: `Any ${count++}`, ...one, ...other };
        const { status, body } = await app.send("POST", path, input);
        expect([status, body]).toMatchObject([200, {}]);
        expect(body).toEqual({ ...body, ...input });
        expect((await get(body.id)).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
