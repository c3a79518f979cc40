import { beforeAll, expect, test } from "vitest";
import { tone } from "../../src/audio/tones.ts";
import { createCallRecordings } from "../../src/calls/recordings/call-recording.ts";
import { insertTrace, type TraceEntry } from "../../src/events/trace.ts";
import { type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";
import { pastSession } from "../harness/insights.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("a speech service's key is set and tested, and is never on the page again", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/speech-services");
  const panel = page.locator("section", { has: page.getByRole("heading", { name: "AssemblyAI" }) });
  await panel.getByLabel("API key", { exact: true }).fill("sk-of-the-clinic");
  await panel.getByLabel("Address").fill("http://127.0.0.1:9");
  await saveReviewed(page);
  await panel.getByText("key of this organization").waitFor();
  await panel.getByRole("button", { name: "Test the key" }).click();
  await panel.getByText("not reached").waitFor();
  expect(await page.content()).not.toContain("sk-of-the-clinic");
  expect(page.faults).toEqual([]);
});

test("a recorded call shows where turns ended and why, and where the agent was cut", async () => {
  const { app } = it;
  const session_id = await pastSession(app, app.admin, {});
  const { sub_organization_id } = app.admin;
  const recordings = createCallRecordings({ engine: app.engine, dataDir: app.config.data_dir });
  const began = app.clock.now().getTime();
  const recorder = await recordings.begin({ id: 1, leg: 1, session_id, sub_organization_id }, 8000);
  for (let n = 0; n < 250; n++) {
    const frame = tone(200, { rate: 8000, ms: 20 });
    if (n < 50) recorder?.caller(frame);
    else recorder?.agent(frame);
    app.clock.advance(20);
  }
  recorder?.end();
  await recordings.written();
  const at = (ms: number) => new Date(began + ms);
  const entries: TraceEntry[] = [
    {
      category: "stt",
      label: "end of turn",
      started: at(1000),
      duration_ms: 400,
      details: { reason: "free" },
    },
    { category: "note", label: "interrupted", started: at(3000), details: { heard: "We are" } },
  ];
  await insertTrace(app.db, session_id, 1, entries, app.clock.now());
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByRole("button", { name: "Load recording" }).click();
  const marks = page.getByRole("list", { name: "Turns and interruptions" });
  await marks.getByRole("button", { name: "0:01: End of turn after 400 ms: silence." }).waitFor();
  await marks.getByRole("button", { name: "0:03: Interrupted. The caller heard: “We are”" }).click();
  expect(page.faults).toEqual([]);
});
