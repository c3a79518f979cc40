import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const PATH = "/api/v1/dashboards";
const NAMES = [
  "session_summary",
  "session_events",
  "session_transfers",
  "sessions",
  "outbound_campaigns",
  "insights",
];

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" });
});

const info = async (name: string) =>
  (await app.send("POST", `${PATH}/fetch_info?dashboard_name=${name}`)).body;

describe("dashboards", () => {
  test("all are listed in order, and searched like every list", async () => {
    const { status, body } = await app.send("POST", `${PATH}/list`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 0, page_size: 25, total_pages: 1, total_count: 6 });
    expect(body.items.map((each: { name: string }) => each.name)).toEqual(NAMES);
    expect(body.items[0]).toEqual({
      name: "session_summary",
      display_name: "Session summary",
      rank: 0,
      label: "dashboard",
    });
    const found = await app.send(
      "POST",
      `${PATH}/list?search_fields=name&search_field_values=SESSION&order_by=rank&order_by_direction=desc&limit=2&start_datetime=2026-01-01`,
    );
    expect(found.body).toMatchObject({ total_count: 4, items: [{ rank: 3 }, { rank: 2 }] });
    expect((await app.send("POST", `${PATH}/list?order_by=secret`)).status).toBe(422);
  });

  test("fetch_info gives a token, where the page is, and what the list says", async () => {
    expect(await info("insights")).toEqual({
      embedded_id: "insights",
      guest_token: expect.any(String),
      name: "insights",
      display_name: "Insights",
      superset_url: "https://parley.example",
      rank: 5,
      label: "dashboard",
    });
    expect((await app.send("POST", `${PATH}/fetch_info?dashboard_name=none`)).status).toBe(404);
    expect((await app.send("POST", `${PATH}/fetch_info`)).body.detail[0]).toMatchObject({
      loc: ["query", "dashboard_name"],
      type: "missing",
    });
  });

  test.each(NAMES.slice(0, 4))("the older operation for %s still answers", async (name) => {
    expect(await app.send("POST", `${PATH}/${name}`)).toMatchObject({
      status: 200,
      body: {
        embedded_id: name,
        guest_token: expect.any(String),
        name,
        superset_url: "https://parley.example",
      },
    });
  });

  test("a token opens its own dashboard for five minutes and nothing else", async () => {
    const { guest_token } = await info("sessions");
    const open = async (name: string, token: string) =>
      (await app.sendAs(null)("GET", `/reports/${name}/data?token=${token}`)).status;
    expect(await open("sessions", guest_token)).toBe(200);
    expect(await open("insights", guest_token)).toBe(404);
    expect(await open("sessions", guest_token.replace("sessions", "insights"))).toBe(401);
    const [name, organization, ...rest] = guest_token.split(".");
    expect(await open("sessions", [name, Number(organization) + 1, ...rest].join("."))).toBe(401);
    expect(await open("sessions", "nonsense")).toBe(401);
    app.clock.advance(5 * 60_000);
    expect(await open("sessions", guest_token)).toBe(401);
  });

  test("what is asked for has to make sense", async () => {
    const { guest_token } = await info("sessions");
    const loc = async (query: string) =>
      (await app.sendAs(null)("GET", `/reports/sessions/data?token=${guest_token}&${query}`)).body.detail[0]
        .loc;
    expect(await loc("days=0")).toEqual(["query", "days"]);
    expect(await loc("days=367")).toEqual(["query", "days"]);
    expect(await loc("timezone=Mars")).toEqual(["query", "timezone"]);
  });

  test("looking needs the permission for reports", async () => {
    const other = app.sendAs(await app.createToken(["sessions_read"]));
    for (const url of [`${PATH}/list`, `${PATH}/fetch_info?dashboard_name=sessions`, `${PATH}/sessions`]) {
      expect((await other("POST", url)).status).toBe(403);
    }
  });

  test("insights and campaigns are for who may read them, as on boards", async () => {
    const open = async (permissions: string[], name: string) => {
      const reader = app.sendAs(await app.createToken(["reports_read", ...permissions]));
      const { items } = (await reader("POST", `${PATH}/list`)).body;
      const { status } = await reader("POST", `${PATH}/fetch_info?dashboard_name=${name}`);
      return [items.some((each: { name: string }) => each.name === name), status];
    };
    expect(await open([], "insights")).toEqual([false, 403]);
    expect(await open(["insights_read"], "insights")).toEqual([true, 200]);
    expect(await open([], "outbound_campaigns")).toEqual([false, 403]);
    expect(await open(["outbound_read"], "outbound_campaigns")).toEqual([true, 200]);
    expect(await open([], "sessions")).toEqual([true, 200]);
  });
});

describe("the page", () => {
  test("may stand in a frame of any site and runs nothing but its own files", async () => {
    const page = await app.sendAs(null)("GET", "/reports/sessions?token=any");
    expect(page.status).toBe(200);
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors *");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.headers["x-frame-options"]).toBeUndefined();
    for (const [, asset = ""] of String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await app.sendAs(null)("GET", asset)).status, asset).toBe(200);
    }
  });
});
