import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createOutbound } from "../harness/batch.ts";
import { type ConsoleTest, createConsoleTest, expectNoSidewaysScroll } from "../harness/console.ts";

/** As many people as a morning's list has, and more tools and colleagues than a choice can show. */
const PEOPLE = 10_000;
const TOOLS = 1_200;
const COLLEAGUES = 300;

let it: ConsoleTest;
let batch_id: string;
beforeAll(async () => {
  it = await createConsoleTest();
  const outbound = await createOutbound(it.app);
  ({ batch_id } = await outbound.createBatch());
  const rows = Array.from({ length: PEOPLE }, (_, n) => `p-${n},+1903${2_900_000 + n}`);
  await outbound.upload(batch_id, ["reference_id,target", ...rows].join("\n"));
  await sql`
    insert into tools select (json_populate_record(t, json_build_object('id', 100000 + n, 'name', 'many_' || lpad(n::text, 5, '0')))).*
    from generate_series(1, ${TOOLS}::int) n, tools t where t.name = 'find_slots'`.execute(it.app.db);
  await sql`
    insert into users select (json_populate_record(u, json_build_object('id', 100000 + n, 'email', 'a' || n || '@example.com'))).*
    from generate_series(1, ${COLLEAGUES}::int) n, users u where u.id = ${it.app.admin.user_id}`.execute(
    it.app.db,
  );
});

test("of 10,000 people a batch shows fifty and how many there are, on a desk and on a telephone", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/batches/${batch_id}`);
  await page.getByRole("heading", { name: "10,000 people" }).waitFor();
  const people = page.getByRole("row").filter({ hasText: "p-" });
  await expect.poll(() => people.count()).toBe(50);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("link", { name: "p-50", exact: true }).waitFor();
  expect(await people.count()).toBe(50);
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);
  expect(page.faults).toEqual([]);
});

test("of 10,000 suppressed numbers a list shows a page, how many there are, and on request the last ones", async () => {
  await sql`
    insert into suppressions (sub_organization_id, kind, address, scope, reason, occurred_at, through, created_at)
    select ${it.app.admin.sub_organization_id}, 'phone', '+1903' || (2900000 + n), 'all', 'do-not-call', now(), 'import', now()
    from generate_series(1, ${PEOPLE}::int) n`.execute(it.app.db);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/suppressions");
  await page.getByText("1–25 of 10,000").waitFor();
  await page.getByRole("button", { name: "Page 400" }).click();
  await page.getByText("9,976–10,000 of 10,000").waitFor();
  expect(await page.getByRole("row").count()).toBe(26);
  expect(page.faults).toEqual([]);
});

test("a tool is found by its name among more than any choice shows, and is kept", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/prompts/1");
  await page.getByRole("combobox", { name: "Tools" }).fill("many_01199");
  await page.getByRole("option", { name: "many_01199" }).click();
  await page.getByRole("combobox", { name: "Tools" }).fill("find_");
  await page.locator(".mantine-Pill-label", { hasText: "many_01199" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("a record that was chosen behind more than any choice shows keeps its name while another is looked for, and the review says names, not numbers", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/prompts/1");
  await page.getByLabel("Run a tool after the session").check();
  const tool = page.getByRole("combobox", { name: "End-of-session tool" });
  await tool.fill("many_01199");
  await page.getByRole("option", { name: "many_01199" }).click();
  await page.keyboard.press("Control+s");
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("+ many_01199").waitFor();
  await review.getByRole("button", { name: "Keep editing" }).click();
  await tool.fill("find_");
  await page.getByRole("option", { name: "find_slots" }).waitFor();
  expect(await tool.inputValue()).toBe("find_");
  await tool.blur();
  await expect.poll(() => tool.inputValue()).toBe("many_01199");
  expect(page.faults).toEqual([]);
});

test("a tool that stands behind more than any choice shows gets bridge phrases of its own", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/bridges/new");
  await page.getByRole("combobox", { name: "Tool-specific phrases" }).fill("many_01199");
  await page.getByRole("option", { name: "many_01199" }).click();
  await page.getByRole("button", { name: "Take many_01199 out" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("sessions are filtered by a tool that stands behind more than any choice shows", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/sessions?f_tool=find_slots");
  const tool = page.getByRole("combobox", { name: "Tool used" });
  await tool.fill("many_01199");
  await page.getByRole("option", { name: "many_01199" }).click();
  await page.waitForURL(/f_tool=many_01199/);
  await tool.fill("many_0119");
  await expect.poll(() => page.getByRole("option", { name: /^many_0119/ }).count()).toBe(10);
  await tool.blur();
  await expect.poll(() => tool.inputValue()).toBe("many_01199");
  expect(page.faults).toEqual([]);
});

test("a data source of an agent leads to its page, however many others there are, and is no label", async () => {
  const source = { name: "zz_hours", chunk: false, text: "Open from nine to five." };
  const { id } = (await it.app.send("POST", "/api/v1/data_sources/", source)).body;
  await sql`
    insert into data_sources select (json_populate_record(d, json_build_object('id', 100000 + n, 'name', 'many_' || n))).*
    from generate_series(1, ${COLLEAGUES}::int) n, data_sources d where d.id = ${id}`.execute(it.app.db);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByRole("combobox", { name: "Existing data source" }).fill("zz_");
  await page.getByRole("option", { name: "zz_hours" }).click();
  const sources = page.getByRole("table", { name: "Data sources of the agent" });
  await sources.getByRole("link", { name: "zz_hours" }).waitFor();
  expect(await sources.getByText("Label").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a colleague is found by their address among hundreds, and stays chosen when the alert is read again", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/alerts/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Errors");
  await page.getByRole("combobox", { name: "E-mail to" }).fill("a299@");
  await page.getByRole("option", { name: "a299@example.com" }).click();
  await page.locator(".mantine-Pill-label", { hasText: "a299@example.com" }).waitFor();
  // The list of all others comes meanwhile, and lies above the button.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Errors" }).waitFor();
  const made = (await it.app.send("GET", "/api/v1/alerts/")).body.items[0];
  expect(made).toMatchObject({ name: "Errors", notified_users: [100_299] });
  await page.reload();
  await page.locator(".mantine-Pill-label", { hasText: "a299@example.com" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("an experiment is limited to a campaign that stands behind more than any choice shows, among campaigns of other agents", async () => {
  await it.app.send("PUT", "/api/v1/agents/1/versioning", { published_version: 1, gates: [] });
  // Of two campaigns one is the agent's, and the last by name is.
  await sql`
    insert into campaigns select (json_populate_record(c, json_build_object(
      'id', 100000 + n, 'campaign_name', 'Many ' || lpad(n::text, 5, '0'), 'agent_id', case when n % 2 = 0 then 1 else c.agent_id end))).*
    from generate_series(1, 600) n, campaigns c where c.id = (select min(id) from campaigns)`.execute(
    it.app.db,
  );
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1/experiments");
  await page.getByRole("button", { name: "New experiment" }).first().click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Name").fill("In a late campaign");
  const campaign = window.getByRole("combobox", { name: "Campaign" });
  await campaign.fill("Many 0059");
  const offered = page.getByRole("option", { name: /^Many 0059/ });
  await expect.poll(() => offered.count()).toBe(5);
  // By keys: the list moves while it gets shorter, and a mouse may press and release on two things.
  await campaign.fill("Many 00598");
  await expect.poll(() => offered.count()).toBe(1);
  await campaign.press("ArrowDown");
  await campaign.press("Enter");
  await expect.poll(() => campaign.inputValue()).toBe("Many 00598");
  await window.getByRole("button", { name: "Save draft" }).click();
  await page.getByRole("heading", { level: 1, name: "In a late campaign" }).waitFor();
  const [made] = (await it.app.send("GET", "/api/v1/experiments/?order_by=id&order_by_direction=desc")).body
    .items;
  expect(made).toMatchObject({ name: "In a late campaign", campaign_id: 100_598 });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await expect.poll(() => campaign.inputValue()).toBe("Many 00598");
  expect(page.faults).toEqual([]);
});

test("a prompt that hundreds of agents use names twenty of them, says how many more there are and leads to a list of all", async () => {
  await sql`
    insert into agents select (json_populate_record(a, json_build_object('id', 100000 + n, 'name', 'Ward ' || n))).*
    from generate_series(1, 300::int) n, agents a where a.prompt_id = 1`.execute(it.app.db);
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/prompts/1");
  await page.getByText(/ and 28\d more$/).waitFor();
  expect(await page.getByRole("link", { name: /^Ward / }).count()).toBeLessThanOrEqual(20);
  const { name } = (await it.app.send("GET", "/api/v1/prompts/1")).body;
  await page.getByRole("link", { name: /^28\d more$/ }).click();
  const prompt = page.getByRole("combobox", { name: "Prompt" });
  await expect.poll(() => prompt.inputValue()).toBe(name);
  await page.getByRole("link", { name: "Ward 1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
  await page.goto("/console/languages");
  await page.getByText(/ and 29\d more$/).waitFor();
  expect(page.faults).toEqual([]);
});
