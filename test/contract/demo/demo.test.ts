import { beforeAll, describe, expect, test } from "vitest";
import { seedDemo } from "../../../src/demo/seed.ts";
import { converse } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({}, seedDemo);
});

const agentNamed = async (name: string): Promise<number> => {
  const { body } = await app.send(
    "GET",
    `/api/v1/agents/?search_fields=name_exact&search_field_values=${encodeURIComponent(name)}`,
  );
  return body.items[0].id;
};

describe("the demo", () => {
  test("its records are ones the API takes back: no agent, prompt, tool or message has an issue", async () => {
    for (const kind of ["agents", "prompts", "tools", "custom_messages", "language_groups", "services"]) {
      const { body } = await app.send("GET", `/api/v1/${kind}/`);
      expect(body.items.length, kind).toBeGreaterThan(0);
      for (const item of body.items)
        expect(item.validation_issues ?? [], `${kind}: ${item.name}`).toEqual([]);
    }
  });

  test("two of its patients wait for their own morning, one has no consent, one is over a cap, and each says so", async () => {
    const batch = "/api/v1/outbound/batches/demo-patients";
    await app.send("PUT", batch, { paused: false });
    const next = async (reference: string) =>
      (await app.send("GET", `${batch}/requests/${reference}/trace`)).body.next_step.text;
    expect(await next("patient-11")).toBe(
      "Waiting for the request's not_before: 2026-11-19 08:30 in Los Angeles.",
    );
    expect(await next("patient-23")).toBe(
      "Waiting for the request's not_before: 2026-11-19 08:30 in Chicago.",
    );
    expect(await next("patient-9")).toBe(
      "Will be skipped when its turn comes: no consent of +13035550110 to marketing calls is on record.",
    );
    expect(await next("patient-20")).toBe(
      "Waiting: called 3 times in 24 hours over all campaigns, the most that the organization allows; next 2026-11-19 01:00 in Los Angeles.",
    );
    expect(await next("patient-1")).toBe("Waiting: it is next.");
    const { requests } = (await app.send("GET", "/api/v1/outbound/campaigns/1/requests")).body;
    const called = requests.filter(({ attempt_count }: { attempt_count: number }) => attempt_count > 0);
    expect(called).toMatchObject([{ batch_id: "demo-earlier", sent_at: expect.any(String) }]);
    await app.send("PUT", batch, { paused: true });
  });

  test("its expressions are in the object form, which every client made from the reference can read", async () => {
    const { body } = await app.send("GET", "/api/v1/tools/?limit=100");
    const texts: string[] = [];
    let objects = 0;
    JSON.stringify(body.items, (key, value) => {
      if (["if", "valueFrom", "from", "expression"].includes(key)) {
        if (typeof value === "string" && key !== "expression") texts.push(value);
        if (typeof value === "object" && value !== null) objects += 1;
      }
      return value;
    });
    expect(texts).toEqual([]);
    expect(objects).toBeGreaterThan(5);
  });

  test("the reminder walks its steps with the offline model: coming, then what to prepare, then goodbye", async () => {
    const say = converse(app, await agentNamed("Demo reminder"));
    expect((await say("")).text).toBe(
      "Hello Sam, this is the Demo Clinic about your visit tomorrow. Can you come to your visit?",
    );
    const coming = await say("yes I can come");
    expect(coming.text).toBe("Do you need a wheelchair, an interpreter or nothing?");
    expect(coming.content.variables).toMatchObject({ coming: true });
    const prepared = await say("an interpreter please");
    expect(prepared.text).toBe("Thank you, we look forward to seeing you. Goodbye.");
    expect(prepared.content).toMatchObject({ ended: true, variables: { needs: "interpreter" } });
  });

  test("the reminder greets by the hour of its agent's zone", async () => {
    const say = converse(app, await agentNamed("Demo reminder"));
    const evening = await say("", { override_timestamp: "2026-11-18T18:30:00" });
    expect(evening.text).toMatch(/^Good evening Sam/);
  });

  test("its clinic always has a time for people who call again and again: of one person it keeps the last two", async () => {
    const day = "date=2026-11-23&service=check-up";
    const slots = async (): Promise<string[]> =>
      (await app.send("GET", `/demo/slots?${day}`)).body.slots.map(
        (slot: { slot_id: string }) => slot.slot_id,
      );
    const book = (slot_id: string, name: string) =>
      app.send("POST", "/demo/appointments", { slot_id, name, phone: "+15125550142" });
    const [first = "", second = "", third = "", ...others] = await slots();
    for (const slot_id of [first, second, third])
      expect((await book(slot_id, "Alex Doe")).body.status).toBe("booked");
    expect(await slots()).toEqual([first, ...others]);

    expect((await book(second, "Alex Doe")).body.status).toBe("booked");
    expect((await book(second, "Sam Roe")).status).toBe(409);
    expect((await book(first, "Sam Roe")).body.status).toBe("booked");
    expect(await slots()).toEqual(others);
  });

  test("whoever chose a time that is taken when they book it is offered those that are left", async () => {
    await app.listen();
    const say = converse(app, await agentNamed("Demo clinic"));
    const offered = (await say("I would like a cleaning on Monday")).text;
    const [, first, second] = /\(1\) ([\d:]+), \(2\) ([\d:]+)/.exec(offered) ?? [];
    const slot_id = `2026-11-23T${first}-cleaning`;
    const other = await app.send("POST", "/demo/appointments", {
      slot_id,
      name: "Sam Roe",
      phone: "+15125550143",
    });
    expect(other.body.status).toBe("booked");
    for (const words of ["The first one, please.", "My name is Alex Doe."]) await say(words);
    const { text } = await say("It is 512 555 0142.");
    expect(text).toContain("That time was just taken.");
    expect(text).toContain(`(1) ${second}`);
    expect((await say("The first one, please.")).text).toContain(`at ${second}. Your confirmation number is`);
  });
});
