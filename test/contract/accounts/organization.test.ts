import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { cancelSlice } from "../../../src/batches/cancel-waiting.ts";
import { countRequests } from "../../../src/batches/request-counts.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { png, sendForm, sendUrlEncoded } from "../../harness/form.ts";
import { insightsOf, runInsights } from "../../harness/insights.ts";
import { insertBatch, insertRequest, insertSession, insertTarget } from "../../harness/rows.ts";
import { rounds } from "../../harness/seed.ts";
import { waitForLocks } from "../../harness/waiting.ts";

const PATH = "/api/v1/organizations/";
const logo = { filename: "logo.png", content: png(120, 120) };

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" });
});

describe("organizations", () => {
  test("one's own organization answers with every field", async () => {
    const { status, body } = await app.send("GET", PATH);
    expect(status).toBe(200);
    expect(body).toEqual({
      display_name: "Demo clinic",
      description: null,
      domains: null,
      saml_provider_id: null,
      id: app.admin.organization_id,
      last_updated_comments: null,
      name: expect.stringMatching(/^\w{22}$/),
      slug: `demo-clinic-${app.admin.organization_id}`,
      last_updated: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      logo_url: null,
    });
  });

  test("an update replaces all texts and keeps the logo that is not sent again", async () => {
    const first = await sendForm(app, "PUT", PATH, {
      display_name: "Clinic",
      description: "Two doctors",
      domains: "example.com, clinic.example",
      saml_provider_id: "saml.clinic",
      update_comments: "with a logo",
      logo,
    });
    expect(first).toMatchObject({
      status: 200,
      body: {
        display_name: "Clinic",
        description: "Two doctors",
        domains: "example.com, clinic.example",
        saml_provider_id: "saml.clinic",
        last_updated_comments: "with a logo",
        logo_url: expect.stringMatching(
          /^https:\/\/parley\.example\/api\/v1\/organizations\/logos\/\w+\.png\?v=\w+$/,
        ),
      },
    });
    const second = await sendUrlEncoded(app, "PUT", PATH, { display_name: "Clinic & Co." });
    expect(second.body).toMatchObject({
      display_name: "Clinic & Co.",
      description: null,
      domains: null,
      saml_provider_id: null,
      last_updated_comments: null,
      logo_url: first.body.logo_url,
    });
    expect((await app.send("GET", PATH)).body).toEqual(second.body);

    const { pathname } = new URL(first.body.logo_url);
    const picture = await app.api.server.inject({ url: pathname });
    expect(picture.statusCode).toBe(200);
    expect(picture.headers["content-type"]).toBe("image/png");
    expect(picture.rawPayload.equals(logo.content)).toBe(true);
    expect((await app.sendAs(null)("GET", pathname.replace(/\w+\.png/, "other.png"))).status).toBe(404);
  });

  test("a new organization stands alone: its own roles and tools, the caller its administrator", async () => {
    const { status, body } = await sendForm(app, "POST", PATH, { display_name: "Krankenhaus Süd", logo });
    expect(status).toBe(200);
    const { sign_in_link, ...organization } = body;
    expect(organization).toMatchObject({
      display_name: "Krankenhaus Süd",
      slug: `krankenhaus-sud-${organization.id}`,
      logo_url: expect.any(String),
      last_updated_by: "admin@example.com",
    });
    expect((await app.send("GET", PATH)).body.id).toBe(app.admin.organization_id);

    const code = sign_in_link.split("code=")[1];
    const signIn = await app.sendAs(null)("POST", "/api/console/one-time-code", { code });
    const cookie = String(signIn.headers["set-cookie"]).split(";")[0] ?? "";
    const inside = (url: string) => app.sendAs(null)("GET", url, undefined, { cookie });
    expect((await inside(PATH)).body).toEqual(organization);
    expect((await inside("/api/v1/users/")).body.items).toMatchObject([
      { email: "admin@example.com", role_name: "Admin", activity_status: "active" },
    ]);
    const tools = (await inside("/api/v1/tools/?limit=100")).body.items;
    expect(tools.map((tool: { name: string }) => tool.name)).toContain("hangup");
    expect((await inside("/api/console/me")).body.permissions).not.toContain("platform_admin");
  });

  test("deleting takes its people, their tokens, its targets and its outreach away", async () => {
    const { caller, token, send } = await app.createNeighbour();
    await insertTarget(app, caller, "going");
    const batch_key = await insertBatch(app, "Going", caller.sub_organization_id);
    const waits = { request_status: "PENDING", channel_manager_status: "PENDING" } as const;
    await insertRequest(app, batch_key, waits, { attempt_count: 0, due_at: app.clock.now().toISOString() });
    const answer = await sendUrlEncoded(app, "DELETE", PATH, { delete_comments: "closed" }, token);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect((await send("GET", PATH)).status).toBe(401);
    const row = await app.db
      .selectFrom("organizations")
      .selectAll()
      .where("id", "=", caller.organization_id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ deleted_at: "2026-11-18T12:00:00+00:00", deleted_comments: "closed" });
    const targets = await app.db
      .selectFrom("channel_targets")
      .select("id")
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .execute();
    expect(targets).toEqual([]);
    const batch = await app.db
      .selectFrom("batches")
      .select("status")
      .where("key", "=", batch_key)
      .executeTakeFirstOrThrow();
    expect(batch.status).toBe("CANCELED");
    expect((await countRequests(app.db, batch_key, app.clock.now())).status_counts).toEqual({ CANCELED: 1 });
    expect(await cancelSlice(app.db, batch_key)).toBe(false);
    const { request_status } = await app.db
      .selectFrom("requests")
      .select("request_status")
      .where("batch_key", "=", batch_key)
      .executeTakeFirstOrThrow();
    expect(request_status).toBe("CANCELED");
  });

  test("one that is deleted twice at once comes back with its targets", async () => {
    const { caller, send } = await app.createNeighbour("twice@example.org");
    const { organization_id, sub_organization_id } = caller;
    await insertTarget(app, caller, "coming-back");
    const answers = await app.db.transaction().execute(async (tx) => {
      const held = tx.selectFrom("organizations").select("id").where("id", "=", organization_id);
      await held.forUpdate().execute();
      const deletions = [send("DELETE", PATH), send("DELETE", PATH)];
      await waitForLocks(app.database.pool, 2);
      return deletions;
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 404]);
    expect(await app.send("POST", `${PATH}${organization_id}/restore`)).toMatchObject({ status: 200 });
    const targets = await app.db
      .selectFrom("channel_targets")
      .select("target")
      .where("sub_organization_id", "=", sub_organization_id)
      .execute();
    expect(targets).toEqual([{ target: "coming-back" }]);
  });

  test("one is deleted while the dialer claims attempts of its batches", async () => {
    const { caller, send } = await app.createNeighbour("claimed@example.org");
    const batch_key = await insertBatch(app, "Claimed", caller.sub_organization_id);
    // As a claim locks them (due-batches.ts, lines.ts).
    const [answered] = await app.db.transaction().execute(async (tx) => {
      await tx.selectFrom("batches").select("key").where("key", "=", batch_key).forShare().execute();
      const deletion = send("DELETE", PATH);
      await waitForLocks(app.database.pool, 1);
      const organization = tx
        .selectFrom("organizations")
        .select("id")
        .where("id", "=", caller.organization_id);
      await organization.forNoKeyUpdate().execute();
      return [deletion];
    });
    expect(await answered).toMatchObject({ status: 200 });
  });

  test("for one that is deleted nothing begins by itself: no tests, no crawl, no alert, no backfill; back again, all goes on", async () => {
    const { caller, send } = await app.createNeighbour("quiet@example.org");
    const made = async (method: string, path: string, body?: object) => {
      const answer = await send(method, `/api/v1/${path}`, body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    };
    const prompt = await made("POST", "prompts/", {
      name: "Prompt",
      type: "prompt_v1",
      context: "You are a test.",
      tools: [],
      llm_config: { provider: "openai", model: "scripted" },
    });
    const { name: agent } = await made("POST", "agents/", {
      name: "Agent",
      type: "ca_v1",
      prompt_id: prompt.id,
      timezone: "UTC",
      prompt_tool_defaults: [],
      languages: [],
      variables: {},
      tool_headers: null,
    });
    const cases = [{ name: "Answers", person: ["Hello"], expect: { said: ["."] } }];
    const suite = await made("POST", "test_suites/", { name: "Nightly", agent, cases });
    await made("PUT", `test_suites/${suite.id}/schedule`, {
      is_active: true,
      time: "02:00",
      timezone: "UTC",
    });
    const source = await made("POST", "data_sources/", { name: "site", chunk: false, text: "" });
    const crawl = `data_sources/${source.id}/crawl`;
    await made("PUT", crawl, { start_url: "https://site.example/", every_hours: 1 });
    await made("POST", `${crawl}/stop`);
    const rule = await made("POST", "alerts/", {
      name: "Errors",
      metric: { name: "errors" },
      condition: "above",
      threshold: 0.05,
      least_sessions: 20,
      window_minutes: 60,
    });
    const { sub_organization_id } = caller;
    for (let n = 0; n < 3; n++)
      await insertSession(app, { sub_organization_id, ended_at: app.clock.now().toISOString() });
    const make = insightsOf({ ...app, send });
    const insight_tool_ids = [(await make.tool()).id];
    const workflow = await make.workflow({ insight_tool_ids, start_datetime: "2026-01-01T00:00:00Z" });
    await made("PUT", `insights/workflows/${workflow.id}/backfill`, { rate_per_minute: 1 });
    expect(await make.activate(workflow.id)).toMatchObject({ status: 200 });
    await made("DELETE", "organizations/");
    app.clock.advance(86_400_000);
    const look = async () => {
      for (const name of ["begin-scheduled-runs", "crawl-due", "check-alerts"])
        await app.jobs
          .find(({ job }) => job.name === name)!
          .run({}, { stopping: new AbortController().signal } as never);
      await runInsights(app);
      const { rows } = await app.database.pool.query(
        `select (select next_at > $4 from test_schedules where suite_id = $1) as tests,
           (select status = 'running' from data_source_crawls where data_source_id = $2) as crawls,
           (select checked_at is not null from alert_rules where id = $3) as alerts,
           (select queued_count > 1 from insight_backfills where workflow_id = $5) as backfills`,
        [suite.id, source.id, rule.id, app.clock.now().toISOString(), workflow.id],
      );
      return rows[0];
    };
    expect(await look()).toEqual({ tests: false, crawls: false, alerts: false, backfills: false });
    await app.send("POST", `${PATH}${caller.organization_id}/restore`);
    expect(await look()).toEqual({ tests: true, crawls: true, alerts: true, backfills: true });
  });

  test("a delete needs no comment, and no body at all", async () => {
    const { send } = await app.createNeighbour();
    expect(await send("DELETE", PATH)).toMatchObject({ status: 200, body: { success: true } });
  });

  test("the organization that operates the installation can't be deleted", async () => {
    expect(await sendUrlEncoded(app, "DELETE", PATH, {})).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("operates the installation") },
    });
    expect((await app.send("GET", PATH)).status).toBe(200);
  });

  const file = (content: Buffer) => ({ filename: "logo.png", content });
  test.each([
    ["no name", { logo }, ["body", "display_name"], "missing"],
    ["no logo", { display_name: "x" }, ["body", "logo"], "missing"],
    ["a text as logo", { display_name: "x", logo: "logo" }, ["body", "logo"], "value_error"],
    [
      "a GIF",
      { display_name: "x", logo: file(Buffer.from("GIF89a".repeat(10))) },
      ["body", "logo"],
      "value_error",
    ],
    ["a PNG too large", { display_name: "x", logo: file(png(240, 240)) }, ["body", "logo"], "value_error"],
    ["a PNG not square", { display_name: "x", logo: file(png(120, 121)) }, ["body", "logo"], "value_error"],
    [
      "a PNG cut off",
      { display_name: "x", logo: file(png(120, 120).subarray(0, 20)) },
      ["body", "logo"],
      "value_error",
    ],
    ["no domain", { display_name: "x", logo, domains: "not a domain" }, ["body", "domains"], "value_error"],
    ["an empty name", { display_name: "", logo }, ["body", "display_name"], "string_too_short"],
    ["NUL in a text", { display_name: "a\0b", logo }, ["body", "display_name"], "string_unicode"],
  ])("refused at its place: %s", async (_what, fields, loc, type) => {
    const answer = await sendForm(app, "POST", PATH, fields as never);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });

  test("a file beyond the limit is 413, a body that is no form 415", async () => {
    const huge = file(Buffer.concat([png(120, 120), Buffer.alloc(300_000)]));
    expect((await sendForm(app, "POST", PATH, { display_name: "x", logo: huge })).status).toBe(413);
    expect((await app.send("PUT", PATH, { display_name: "x" })).status).toBe(415);
    expect((await sendUrlEncoded(app, "POST", "/api/v1/roles/", { name: "x" })).status).toBe(415);
  });

  test("reading and writing need their permissions", async () => {
    const reader = await app.createToken(["organizations_read"]);
    expect((await app.sendAs(reader)("GET", PATH)).status).toBe(200);
    expect((await sendForm(app, "PUT", PATH, { display_name: "x" }, reader)).status).toBe(403);
    expect((await sendForm(app, "POST", PATH, { display_name: "x", logo }, reader)).status).toBe(403);
    expect((await sendUrlEncoded(app, "DELETE", PATH, {}, reader)).status).toBe(403);
  });

  test("texts that are accepted come back as they were sent", async () => {
    const text = fc
      .string({ minLength: 1, maxLength: 60, unit: "grapheme" })
      .filter((value) => !value.includes("\0"));
    await fc.assert(
      fc.asyncProperty(text, text, async (display_name, description) => {
        const answer = await sendForm(app, "PUT", PATH, { display_name, description });
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({ display_name, description });
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test("every change leaves exactly one entry in the audit trail", async () => {
    const entries = async () =>
      (
        await app.send(
          "GET",
          "/api/v1/audit_entries/?search_fields=resource&search_field_values=organizations",
        )
      ).body.total_count;
    const before = await entries();
    await sendForm(app, "PUT", PATH, { display_name: "Once" });
    await sendForm(app, "POST", PATH, { display_name: "Twice", logo });
    expect((await entries()) - before).toBe(2);
  });
});
