import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { keptSince } from "../../src/erasure/agent-retention.ts";
import { guardAll } from "../../src/experiments/guard-job.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { startSession } from "../../src/turns/start-session.ts";
import { axeFindings, type ConsoleTest, createConsoleTest, standsOut } from "../harness/console.ts";
import { playRun } from "../harness/evaluations.ts";

let it: ConsoleTest;
let agent_id: number;
beforeAll(async () => {
  it = await createConsoleTest();
  await migrateJobs(it.app.database.pool, silentLog);
  agent_id = await twoVersions();
});

/** The demo's reminder, published as version 1, and as version 2 with another instruction. */
async function twoVersions(): Promise<number> {
  const send = async (method: "GET" | "POST" | "PUT", path: string, body?: object) => {
    const answer = await it.app.send(method, `/api/v1${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const { id, prompt_id } = (
    await send("GET", "/agents/?search_fields=name&search_field_values=Demo%20reminder")
  ).items[0];
  await send("POST", `/agents/${id}/versions`, { note: "As it was" });
  const { name, type, context, llm_config } = await send("GET", `/prompts/${prompt_id}`);
  const prompt = { id: prompt_id, name, type, context: `${context}\nBe brief.`, llm_config };
  await send("PUT", "/prompts/", prompt);
  await send("POST", `/agents/${id}/versions`, { note: "Shorter answers", take_live: false });
  return id;
}

/** People who come and whose sessions end; those of the tried version with an error where it `fails`. */
async function peopleCome(count: number, from: number, fails = false): Promise<void> {
  const { app } = it;
  for (let n = from; n < from + count; n++) {
    const { session_id } = await startSession(app.engine, {
      sub_organization_id: app.admin.sub_organization_id,
      agent_id,
      channel: "voice" as const,
      service: "voice",
      type: "voice_v1",
      sid: `s${n}`,
      channel_target_id: null,
      source: `+1512555${String(n).padStart(4, "0")}`,
      target: null,
      is_test: false,
      is_outbound: false,
      verified: true,
    });
    const { agent_version } = await app.db
      .selectFrom("sessions")
      .select("agent_version")
      .where("id", "=", session_id)
      .executeTakeFirstOrThrow();
    await app.db
      .updateTable("sessions")
      .set({
        ended_at: app.clock.now().toISOString(),
        end_reason: fails && agent_version === 2 ? "error" : "user",
        duration: 60,
      })
      .where("id", "=", session_id)
      .execute();
  }
  await guardAll({ ...app, keptSince });
}

test("a newcomer compares the two versions of the demo: one press runs its tests with both, and both conversations open", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  await page.getByRole("link", { name: "All versions" }).click();
  await page.getByRole("link", { name: "Compare versions" }).click();
  await page.getByRole("heading", { level: 1, name: "Compare versions" }).waitFor();
  await page.getByText("Done. See you on", { exact: false }).first().waitFor();
  const begun: number[] = [];
  page.on("response", async (answer) => {
    if (/test_suites\/\d+\/runs$/.test(answer.url())) begun.push((await answer.json()).id);
  });
  await page.getByRole("button", { name: "Run tests with both" }).click();
  await expect.poll(() => begun.length).toBe(2);
  for (const id of begun) await playRun(it.app, id);
  await page.getByText("14 of 20 passed").waitFor();
  await page.getByText("Worse", { exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Both conversations of Books the first free time" }).click();
  const window = page.getByRole("dialog");
  await window.getByText("Your confirmation number is DC-1A2B.").first().waitFor();
  await window.getByText("Done. See you on 2026-11-26 at 09:00.").first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("an author splits the traffic, ramps it up, reads the comparison and the sessions behind it, and stops", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("region", { name: "Release" }).getByRole("link", { name: "Experiments" }).click();
  await page.getByText("No experiments yet").waitFor();
  await page.getByRole("button", { name: "New experiment" }).first().click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Name").fill("Shorter answers");
  // Weights that don't add up are refused at their place, and nothing is lost.
  const weights = window.getByLabel("Weight");
  await weights.nth(1).fill("20");
  await window.getByText("Weights add up to 115 %.").waitFor();
  await window.getByRole("button", { name: "Save draft" }).click();
  await window.getByText("Weights must add up to 100; these add up to 115").waitFor();
  await weights.nth(0).fill("50");
  await weights.nth(1).fill("50");
  await window.getByRole("textbox", { name: "Step 2" }).fill("40");
  await window.getByRole("button", { name: "Save draft" }).click();
  await window.getByText("Each step is higher than the one before it").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await window.getByRole("textbox", { name: "Step 2" }).fill("75");
  await window.getByRole("button", { name: "Save draft" }).click();

  await page.getByRole("heading", { level: 1, name: "Shorter answers" }).waitFor();
  await page.getByText("50 % → 75 % → 100 %").waitFor();
  // Whoever is about to start it reads that its results would lose sessions.
  const keep = (session: number | null) =>
    it.app.send("PUT", "/api/v1/organizations/privacy", { retention: { session } });
  await keep(7);
  await page.reload();
  await page.getByText("Retention deletes this agent's sessions after 7 days.").waitFor();
  await keep(null);
  await page.reload();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("running", { exact: true }).waitFor();

  await peopleCome(40, 0);
  await page.reload();
  const table = page.getByRole("table", { name: "Comparison" });
  await table.getByText("No difference can be told from 40 people").first().waitFor();
  await page.getByRole("table", { name: "Guardrails" }).getByText("OK").first().waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole("button", { name: "Ramp to 75 %" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Ramp to 75 %" }).click();
  await page.getByRole("button", { name: "Ramp to 100 %" }).waitFor();
  await expect.poll(() => page.getByRole("table", { name: "Stages" }).getByRole("row").count()).toBe(3);
  await page.getByRole("button", { name: "Change weights" }).click();
  await page.getByRole("dialog").getByLabel("Version 1").fill("60");
  await page.getByRole("dialog").getByRole("button", { name: "Change", exact: true }).click();
  await page.getByRole("dialog").getByText("Weights must add up to 100; these add up to 135").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("combobox", { name: "Stage" }).click();
  await page.getByRole("option", { name: /^Stage 1/ }).click();
  const row = table.getByRole("row", { name: /^Sessions/ });
  const [control, tried] = await Promise.all([0, 1].map((n) => row.getByRole("link").nth(n).innerText()));
  expect(Number(control) + Number(tried)).toBe(40);
  await row.getByRole("link").nth(1).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  await page.getByText(`of ${tried}`).first().waitFor();
  await expect.poll(() => page.getByLabel("Experiment", { exact: true }).inputValue()).toMatch(/^\d+\.0:2$/);
  await page.goBack();

  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Tried long enough");
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Tried long enough").waitFor();
  await page.getByText("stopped", { exact: true }).waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await standsOut(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("a version that does harm is returned, and the page says by which guardrail; who only reads sees no button", async () => {
  const variants = [
    { version_number: 1, weight: 50, is_control: true },
    { version_number: 2, weight: 50, is_control: false },
  ];
  const planned = await it.app.send("POST", "/api/v1/experiments/", { name: "Harmful", agent_id, variants });
  const { id } = planned.body;
  await it.app.send("POST", `/api/v1/experiments/${id}/start`);
  await peopleCome(40, 1000, true);
  const page = await it.open(await it.person("Viewer"));
  await page.goto(`/console/agents/${agent_id}/experiments`);
  await page.getByRole("link", { name: "Harmful" }).click();
  await page.getByText("Everybody was returned to the control").waitFor();
  await page
    .getByText(/Errors happen to more people with version 2/)
    .first()
    .waitFor();
  await page.getByRole("table", { name: "Comparison" }).getByText("Version 2 is worse.").waitFor();
  await page.getByRole("table", { name: "Guardrails" }).getByText("tripped").waitFor();
  expect(
    await page
      .locator("#main")
      .getByRole("button", { name: /Start|Stop|Ramp|Make|Change|Edit|Delete/ })
      .count(),
  ).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Errors, version 2:" }).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  await page.getByRole("combobox", { name: "Happened" }).waitFor();
  expect(page.faults).toEqual([]);
});
