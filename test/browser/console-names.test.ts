import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../harness/agent.ts";
import { type ConsoleTest, createConsoleTest, cutOff, settled, standsOut } from "../harness/console.ts";

/** 118 letters without a space, as only a name has them. */
const LONG =
  "KundenzufriedenheitsbefragungsterminvereinbarungsassistentinnenkoordinationsstelleHauptverwaltungBerlinBrandenburgNord";
const HEBREW = "תיאום תורים (גרסה 2)";
const NEW_AGENT = {
  type: "ca_v1",
  timezone: "UTC",
  prompt_tool_defaults: [],
  languages: [],
  variables: {},
  tool_headers: null,
};
const PHONE = { width: 390, height: 844 };

let it: ConsoleTest;
/** Pages on which these names stand. */
const pages = { long: [] as string[], hebrew: [] as string[] };
beforeAll(async () => {
  it = await createConsoleTest();
  const make = async (path: string, body: object) => {
    const answer = await it.app.send("POST", `/api/v1${path}`, body);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const tile = { metric: { name: "sessions" }, split: { by: "agent" }, chart: "bars" };
  for (const [kind, name] of [
    ["long", LONG],
    ["hebrew", HEBREW],
  ] as const) {
    const service = await make("/services/", { name, description: name });
    const board = await make("/boards/", { name, tiles: [{ title: name, ...tile }] });
    const role = await make("/roles/", { name, permissions: [] });
    const address = kind === "long" ? `${LONG.slice(0, 60)}@example.com` : "+15125550141";
    await make("/contacts/", { addresses: [kind === "long" ? "+15125550142" : address, address], name });
    await make("/suppressions/", { address: `+1512555777${pages.long.length}`, comment: name });
    pages[kind].push(
      ...[`/services/${service.id}`, `/boards/${board.id}`, `/roles/${role.id}`],
      ...["/services", "/boards", "/suppressions", "/contacts"],
      `/contacts/${encodeURIComponent(address)}`,
    );
  }
  const { body: prompt } = await it.app.send("GET", "/api/v1/prompts/1");
  const { id, name, type, llm_config, tools, context } = prompt;
  for (const note of [LONG, HEBREW]) {
    const body = { id, name, type, llm_config, tools, context: `${context}\n${note}` };
    await it.app.send("PUT", "/api/v1/prompts/", body);
    await make("/agents/1/versions", { note });
  }
  pages.long.push("/agents/1/versions", "/agents/1/versions/compare", "/organization", "/account");
});

test("a name of one long word is read whole on a phone, wherever it stands, and the page is scrolled in one direction only", async () => {
  const page = await it.open(await it.person("Admin"), { viewport: PHONE });
  const found: string[] = [];
  for (const path of pages.long) {
    await page.goto(`/console${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled(page);
    found.push(
      ...[...(await standsOut(page)), ...(await cutOff(page))].map((finding) => `${path}: ${finding}`),
    );
  }
  expect(found).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("the long name of a tool that a prompt may call is read whole on a narrow telephone", async () => {
  const { body: tool } = await it.app.send("GET", "/api/v1/tools/find_slots");
  const name = LONG.replaceAll(/[^A-Za-z]/g, "_").slice(0, 64);
  const { definition, service_id } = tool;
  const own = structuredClone(definition);
  own.tool.function.name = name;
  const made = await it.app.send("POST", "/api/v1/tools/", { name, definition: own, service_id });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const page = await it.open(await it.person("Admin"), { viewport: { width: 320, height: 800 } });
  await page.goto("/console/prompts/1");
  await page.locator(".cm-content").first().waitFor();
  await settled(page);
  const tools = page.getByRole("combobox", { name: "Tools" });
  await tools.fill(name.slice(0, 20));
  // Not by its place: an editor that still grows may move the list away below a click, and what was typed narrows it later.
  await page.getByRole("option", { name }).dispatchEvent("click");
  await page.locator(".mantine-Pill-label", { hasText: name }).waitFor();
  await page.keyboard.press("Escape");
  expect([...(await standsOut(page)), ...(await cutOff(page))]).toEqual([]);
});

test.each([1024, 1280])(
  "on a small laptop no list is wider than its place, and no name is broken letter by letter (%i px)",
  async (width) => {
    const page = await it.open(await it.person("Admin"), { viewport: { width, height: 768 } });
    const found: string[] = [];
    for (const path of [
      "/sessions?f_is_test=true",
      "/audit-log",
      "/events",
      "/tools",
      "/prompts",
      "/services",
    ]) {
      await page.goto(`/console${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      const wide: string[] = await page.evaluate(`(() => {
      const isWide = (element) => element.scrollWidth > element.clientWidth + 1;
      const lists = [...document.querySelectorAll("#main table")].filter((table) => isWide(table.parentElement)).map((table) => table.parentElement.ariaLabel);
      const broken = [...document.querySelectorAll("#main td bdi")].filter((name) => name.textContent.length > 30 && name.getBoundingClientRect().width < 60).map((name) => name.textContent);
      return [...lists, ...broken];
    })()`);
      found.push(...wide.map((what) => `${path}: ${what}`));
    }
    expect(found).toEqual([]);
  },
);

test("a long label is cut and says the rest on hover, and leaves a list's names room to be read in words", async () => {
  const { prompt_id } = await createAgent(it.app, { script: "" });
  const label = "Terminvereinbarung Kraftfahrzeughaftpflichtversicherung";
  const agent = { name: "Rechtsschutz in Mecklenburg", labels: [label], prompt_id };
  const made = await it.app.send("POST", "/api/v1/agents/", { ...NEW_AGENT, ...agent });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const page = await it.open(await it.person("Admin"));
  for (const width of [720, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/console/agents");
    const name = page.getByRole("link", { name: agent.name });
    expect((await name.boundingBox())?.width, `${width}`).toBeGreaterThan(80);
    const cut = await page.locator(`[title="${label}"]`).boundingBox();
    expect(cut?.width).toBeLessThan(170);
  }
  expect(page.faults).toEqual([]);
});

test("a name in Hebrew is read from the right: in headings, links, lists, facts and fields", async () => {
  const page = await it.open(await it.person("Admin"), { viewport: PHONE });
  const found: string[] = [];
  for (const path of pages.hebrew) {
    await page.goto(`/console${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled(page);
    const read: { text: string; direction: string }[] = await page.evaluate(`(() => {
      const isHebrew = (text) => /^[\\s“]*[\\u0590-\\u05ff]/.test(text);
      const texts = [...document.querySelectorAll("#main *")].flatMap((element) =>
        [...element.childNodes].filter((node) => node.nodeType === 3 && isHebrew(node.data)).map((node) => [node.data, element]));
      const values = [...document.querySelectorAll("#main input, #main textarea")].filter(({ value }) => isHebrew(value)).map((element) => [element.value, element]);
      return [...texts, ...values].map(([text, element]) => ({ text: element.tagName + " " + text, direction: getComputedStyle(element).direction }));
    })()`);
    expect(read.length).toBeGreaterThan(0);
    found.push(...read.filter(({ direction }) => direction !== "rtl").map(({ text }) => `${path}: ${text}`));
  }
  expect(found).toEqual([]);
});

test("names in one cell follow each other from the left, though some of them are read from the right", async () => {
  for (const name of [HEBREW, "מרפאה"])
    await createAgent(it.app, { script: 'otherwise -> say "Hello."', agent: { name, language_group_id: 1 } });
  const page = await it.open(await it.person("Admin"), { viewport: { width: 1800, height: 1000 } });
  await page.goto("/console/languages");
  const cell = page.getByRole("cell").filter({ hasText: HEBREW }).last();
  await cell.waitFor();
  const lefts: number[] = [];
  for (const name of await cell.locator("bdi").all()) lefts.push((await name.boundingBox())?.x ?? 0);
  expect(lefts.length).toBeGreaterThanOrEqual(3);
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
});

test("on a phone all of a list's cell stands beside its label, and its buttons are as wide as their words", async () => {
  const page = await it.open(await it.person("Admin"), { viewport: PHONE });
  await page.goto("/console/suppressions");
  const comment = page.getByText(LONG);
  await comment.waitFor();
  const row = page.getByRole("row").filter({ has: comment });
  const left = async (text: string) => (await row.getByText(text).boundingBox())?.x ?? 0;
  expect(await left(LONG)).toBeGreaterThan((await left("by an operator")) - 1);
  const lift = await row.getByRole("button").boundingBox();
  expect(lift?.width).toBeLessThan(120);
});

test("the button of a forecast is read whole, however wide the screen is", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/campaigns/1?view=forecast");
  await page.getByRole("button", { name: "Forecast" }).waitFor();
  for (const width of [360, 640, 768, 900, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, ...(await cutOff(page))]).toEqual([width]);
  }
});

test("on a phone a field of a list that is empty takes no room", async () => {
  await it.app.send("POST", "/api/v1/services/", { name: "Bare", description: "" });
  const page = await it.open(await it.person("Admin"), { viewport: PHONE });
  await page.goto("/console/services");
  const labels = (name: string) =>
    page
      .getByRole("row")
      .filter({ has: page.getByRole("link", { name }) })
      .locator("td:visible")
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-label")));
  await page.getByRole("link", { name: "Bare" }).waitFor();
  const full = await labels(LONG);
  expect(full).toContain("Description");
  expect(await labels("Bare")).toEqual(full.filter((label) => label !== "Description"));
});

test("of a text whose end was changed the unchanged lines are folded, and can be opened", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/1/versions/compare");
  const change = page.getByLabel("Instructions, side by side");
  await change.getByText(HEBREW).waitFor();
  const fold = change.getByRole("button", { name: /^\d+ unchanged lines$/ });
  expect(await change.getByText("You are the receptionist of the Demo Clinic").count()).toBe(0);
  await fold.click();
  await change.getByText("You are the receptionist of the Demo Clinic").first().waitFor();
  await page.setViewportSize(PHONE);
  const narrow = page.getByLabel("Change of Instructions");
  await narrow.getByRole("button", { name: /^\d+ unchanged lines$/ }).click();
  await narrow.getByText("You are the receptionist of the Demo Clinic").waitFor();
  expect(page.faults).toEqual([]);
});
