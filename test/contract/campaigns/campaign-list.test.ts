import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CAMPAIGNS, campaignCalls, NUMBER } from "../../harness/campaigns.ts";
import { createSender } from "../../harness/sender.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await createSender(app, app.admin, { target: NUMBER });
});

const { create } = campaignCalls(() => app);

describe("lists", () => {
  const found = async (query: string) =>
    (await app.send("GET", `${CAMPAIGNS}?${query}`)).body.items.map(
      (item: { campaign_name: string }) => item.campaign_name,
    );

  beforeAll(async () => {
    await createSender(app, app.admin, { target: "desk@lists.example", mode: "email" });
    await create({
      campaign_name: "Lists one",
      label: "spring",
      labels: ["spring", "north"],
      campaign_variables: { clinic: "Queens" },
      daily_start_time: "07:11",
      daily_end_time: "19:22",
      voicemail_detection: { mode: "v2", note: "marmalade" },
    });
    await create({
      campaign_name: "Lists two",
      label: "autumn",
      labels: ["autumn"],
      mode: "email",
      source: "desk@lists.example",
      caller_id: "lists-desk",
    });
  });

  test.each([
    ["campaign_name", "LISTS ONE", "Lists one"],
    ["campaign_variables", "queens", "Lists one"],
    ["daily_start_time", "07:11", "Lists one"],
    ["daily_end_time", "19:22", "Lists one"],
    ["label", "spring", "Lists one"],
    ["labels", "north", "Lists one"],
    ["voicemail_detection", "marmalade", "Lists one"],
    ["source", "lists.example", "Lists two"],
    ["mode", "email", "Lists two"],
    ["caller_id", "lists-", "Lists two"],
  ])("find by %s", async (field, value, name) => {
    const query = new URLSearchParams({ search_fields: field, search_field_values: value });
    expect(await found(query.toString())).toEqual([name]);
  });

  test("label searches the field of that name only, labels all of them", async () => {
    expect(await found("search_fields=label&search_field_values=north")).toEqual([]);
  });

  test("are ordered by any field that can be searched", async () => {
    const lists = "search_fields=campaign_name&search_field_values=Lists";
    for (const field of ["campaign_name", "id", "label", "labels", "updated_at", "voicemail_detection"]) {
      expect(await found(`${lists}&order_by=${field}`), field).toHaveLength(2);
    }
    expect(await found(`${lists}&order_by=label`)).toEqual(["Lists two", "Lists one"]);
    expect(await found(`${lists}&order_by=campaign_name&order_by_direction=desc`)).toEqual([
      "Lists two",
      "Lists one",
    ]);
  });

  test("can be narrowed to some fields; required ones stay", async () => {
    const { body } = await app.send(
      "GET",
      `${CAMPAIGNS}?fields=label&search_fields=campaign_name&search_field_values=Lists one`,
    );
    expect(body.items).toEqual([
      expect.objectContaining({ label: "spring", labels: null, campaign_name: "Lists one", webhooks: null }),
    ]);
  });

  test("refuse a field they don't have", async () => {
    expect(await app.send("GET", `${CAMPAIGNS}?order_by=agent_id`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "order_by"], type: "enum" }] },
    });
  });
});
