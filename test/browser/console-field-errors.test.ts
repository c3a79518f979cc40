import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { axeFindings, type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";

let it: ConsoleTest;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  page = await it.open(await it.person("Admin"), { viewport: { width: 1400, height: 1000 } });
});

/** A required field has a star in its label, and a password is no text box. */
const fieldOf = (label: string, within: Locator = page.locator("main")) =>
  within
    .getByRole("textbox", { name: label, exact: true })
    .or(within.getByRole("combobox", { name: label, exact: true }))
    .or(within.getByLabel(label, { exact: true }))
    .first();

/** What stands below a field as its error. */
const errorOf = async (label: string, within?: Locator) => {
  const field = fieldOf(label, within);
  const ids = (await field.getAttribute("aria-describedby")) ?? "";
  const texts = ids.split(" ").filter((id) => id.endsWith("-error"));
  return texts.length === 0 ? null : page.locator(`[id="${texts[0]}"]`).innerText();
};

test("a service says at its secret that it is missing, and at its hosts which of them is none", async () => {
  await page.goto("/console/services/new");
  await fieldOf("Name").fill("Billing");
  await page.getByRole("combobox", { name: "Authentication" }).click();
  await page.getByRole("option", { name: "Bearer token" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await expect.poll(() => errorOf("Token")).toBe("Fill this in.");
  await fieldOf("Token").fill("very-secret");
  const hosts = fieldOf("Allowed hosts");
  for (const host of ["api.example.com", "https://example.com/x"]) {
    await hosts.fill(host);
    await hosts.press("Enter");
  }
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("No. 2: Give a host name").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("a name of blanks alone is not saved, in a page's form or a window's", async () => {
  await page.goto("/console/services/new");
  await fieldOf("Name").fill("   ");
  await page.getByRole("button", { name: "Create" }).click();
  await expect.poll(() => errorOf("Name")).toBe("Fill this in.");
  expect(await page.locator("input:focus").inputValue()).toBe("   ");
  for (const [path, opens, saves] of [
    ["api-tokens", "New token", "Create token"],
    ["do-not-call-lists", "New do-not-call list", "Save list"],
  ] as const) {
    await page.goto(`/console/${path}`);
    await page.getByRole("button", { name: opens }).first().click();
    const form = page.getByRole("dialog");
    await fieldOf("Name", form).fill(" ");
    await form.getByRole("button", { name: saves, exact: true }).click();
    await expect.poll(() => errorOf("Name", form)).toBe("Fill this in.");
  }
  expect(page.faults).toEqual([]);
});

test("a test says at each expectation and mock what is missing, and no field by its raw name", async () => {
  await page.goto("/console/tests/new");
  await fieldOf("Name").fill("Hours");
  await fieldOf("Agent").fill("Clinic");
  await page.getByRole("button", { name: "Add test" }).click();
  await page.getByLabel("Name of the test").fill("Opening");
  await page.getByRole("button", { name: "Add expectation" }).click();
  await page.getByLabel("The agent says, 1").fill("eight");
  await page.getByLabel("The agent says, 2").fill("(");
  await page.getByRole("button", { name: "Add answer" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("has errors").waitFor();
  await expect.poll(() => errorOf("Tool")).toBe("Fill this in.");
  expect(await errorOf("The agent says, 1")).toBeNull();
  expect(await errorOf("The agent says, 2")).toMatch(/a \( is never closed/);
  expect(await page.getByText("This can't be saved yet").count()).toBe(0);
  const shown = await page.locator("main").innerText();
  expect(shown).not.toMatch(/mocks\.0|expect\.said|cases\./);
  expect(page.faults).toEqual([]);
});

test("a choice that is missing is said at its field, and a tool is offered no service that takes none", async () => {
  await page.goto("/console/agents/new");
  await page.getByRole("link", { name: "New prompt" }).waitFor();
  await fieldOf("Name").fill("Reception");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(() => errorOf("Prompt")).toBe("Fill this in.");
  await page.goto("/console/tools/new");
  await fieldOf("Name").fill("look up");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(() => errorOf("Service")).toBe("Fill this in.");
  expect(await errorOf("Name")).toBe("Use no spaces.");
  await fieldOf("Service").click();
  await page.getByRole("option", { name: "Demo clinic calendar" }).waitFor();
  expect(await page.getByRole("option", { name: "System" }).count()).toBe(0);
  await page.goto("/console/tests/judges/new");
  await fieldOf("Name").fill("Politeness");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(() => errorOf("Insight tool")).toBe("Fill this in.");
  expect(await page.getByText("This can't be saved yet").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a language whose key was cleared says so there, and doesn't keep the old one unseen", async () => {
  await page.goto("/console/languages/new");
  await fieldOf("Name").fill("Callers");
  await page.getByRole("button", { name: "Add language" }).click();
  await fieldOf("Key").fill("");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(() => errorOf("Key")).toBe("Enter a whole number.");
  await fieldOf("Key").fill("3");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Callers" }).waitFor();
  expect(await fieldOf("Key").inputValue()).toBe("3");
  expect(page.faults).toEqual([]);
});

test("a replay that finds no session says so at its days", async () => {
  const { body } = await it.app.send("GET", "/api/v1/agents/?limit=1");
  const [agent] = body.items;
  await page.goto("/console/tests/replays");
  await page.getByRole("button", { name: "Replay sessions" }).first().click();
  const form = page.getByRole("dialog");
  await form.getByRole("button", { name: "Replay", exact: true }).click();
  await form.getByText("Choose an agent.").waitFor();
  await fieldOf("Agent", form).fill(agent.name);
  await page.getByRole("option", { name: agent.name }).first().click();
  await form.getByRole("button", { name: "Replay", exact: true }).click();
  await expect.poll(() => errorOf("Of the last days", form)).toMatch(/^No session matches/);
  expect(await form.innerText()).not.toContain("Filter");
  expect(page.faults).toEqual([]);
});

test("a tool's new name is judged while it is typed: what it may hold, and which workflows are left behind", async () => {
  const { id: service_id } = (
    await it.app.send("POST", "/api/v1/services/", { name: "Diary", description: "" })
  ).body;
  await it.app.send("POST", "/api/v1/tools/", {
    name: "look_up",
    definition: endpointTool("look_up", "https://example.com/"),
    service_id,
  });
  const task = {
    type: "steps",
    tool: { name: "ask_on" },
    steps: [{ id: "A", goal: "g", on: { enter: [{ action: "call", name: "look_up" }] } }],
  };
  await it.app.send("POST", "/api/v1/tools/", {
    name: "asks",
    definition: {
      ...endpointTool("asks", "https://example.com/"),
      type: "context",
      endpoint: null,
      context: { task },
    },
    service_id,
  });
  await page.goto("/console/tools/look_up");
  await fieldOf("Name").fill("look up");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => errorOf("Name")).toBe("Use no spaces.");
  await fieldOf("Name").fill("look_for");
  await page.getByText('Name: "look_up" is used by the workflow asks.').waitFor();
  await fieldOf("URL").fill("example.com/x");
  await page.getByText("URL: Begin the URL with https://").waitFor();
  expect(page.faults).toEqual([]);
});
