import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";

let it: ConsoleTest;
let peer: Peer;
let page: ConsolePage;
beforeAll(async () => {
  it = await createConsoleTest();
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { slots: [{ time: "09:00" }] }));
  const service = await it.app.send("POST", "/api/v1/services/", { name: "Calendar", description: "" });
  const tool = endpointTool("look_up", `${peer.url}/slots`, {
    parameters: {
      type: "object",
      properties: { day: { type: "string", enum: ["monday"] } },
      required: ["day"],
    },
    definition: {
      static_parameters: [{ name: "clinic", required: true, type: "string", default: "{{ vars.clinic }}" }],
    },
  });
  await it.app.send("POST", "/api/v1/tools/", {
    name: "look_up",
    definition: tool,
    service_id: service.body.id,
  });
  page = await it.open(await it.person("Admin"), { viewport: { width: 1400, height: 1000 } });
});

test("a call is tried as the form stands, and each stage of its arguments is shown", async () => {
  await page.goto("/console/tools/look_up?view=try");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByLabel("Name 1 of Variables").fill("clinic");
  await page.getByLabel("Value 1 of Variables").fill("north");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("answered").waitFor();
  const prepared = page.getByRole("region", { name: /2\. Prepared/ });
  expect(JSON.parse(await prepared.innerText())).toEqual({ day: "monday", clinic: "north" });
  await expect
    .poll(() => page.getByRole("region", { name: /4\. What the model reads/ }).innerText())
    .toContain("09:00");
  expect(page.faults).toEqual([]);
});

test("a request that is real is sent once, though its button is pressed twice", async () => {
  await page.goto("/console/tools/look_up?view=try");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByLabel("Name 1 of Variables").fill("clinic");
  await page.getByLabel("Value 1 of Variables").fill("north");
  const before = peer.requests.length;
  await page.getByRole("button", { name: "Run" }).evaluate((element: unknown) => {
    const button = element as { click(): void };
    button.click();
    button.click();
  });
  await page.getByText("answered").waitFor();
  expect(peer.requests.length - before).toBe(1);
});

test("what is no JSON is not left out of a save without a word", async () => {
  await page.goto("/console/tools/look_up?view=json");
  const editor = page.getByRole("textbox", { name: "Definition" });
  const change = async (from: string, to: string) => {
    await editor.getByText(from).first().dblclick();
    await page.keyboard.insertText(to);
  };
  await change("monday", "friday");
  await change("friday", 'fri"day');
  await page.getByText("Invalid JSON:").waitFor();
  await page.getByRole("button", { name: "Review and save" }).click();
  await expect
    .poll(() => editor.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true);
  expect(await page.getByRole("dialog").count()).toBe(0);

  // Nothing else of the form was changed: what can't be read counts as typed all the same.
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByText("Invalid JSON:").waitFor({ state: "detached" });
  await editor.getByText("monday").first().waitFor();
  await change("monday", 'mon"day');
  await page.getByText("Invalid JSON:").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await editor.getByText("monday").first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Review and save" }).isDisabled()).toBe(true);
  expect(page.faults).toEqual([]);
});

test("no request is tried with other arguments than those that are typed: what is no JSON is marked", async () => {
  await page.goto("/console/tools/look_up?view=try");
  const run = page.getByRole("button", { name: "Run" });
  const editor = page.getByRole("textbox", { name: "Arguments" });
  await editor.getByText("monday").first().dblclick();
  await page.keyboard.insertText('mon"day');
  await page.getByText("Invalid JSON:").waitFor();
  await expect.poll(() => run.isDisabled()).toBe(true);
  await editor.fill('{"day": "friday"}');
  await page.getByText("Invalid JSON:").waitFor({ state: "detached" });
  await expect.poll(() => run.isEnabled()).toBe(true);
  expect(page.faults).toEqual([]);
});

test("what the server finds wrong within a JSON text is told, though no field stands for it", async () => {
  await page.goto("/console/tools/look_up?view=json");
  const editor = page.getByRole("textbox", { name: "Definition" });
  await editor.getByText("endpoint").first().dblclick();
  await page.keyboard.insertText("gadget");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page
    .getByRole("alert")
    .getByText(/^Type: /)
    .waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("what was changed stays while other views of the tool are looked at, and leaving them asks first", async () => {
  await page.goto("/console/tools/look_up");
  await page.getByLabel("Description").fill("Looks up a day");
  const asked: string[] = [];
  page.once("dialog", (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByRole("tab", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Run" }).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect.poll(() => asked).toEqual(["Leave without saving what you changed?"]);
  await page.getByRole("tab", { name: "Form" }).click();
  await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Looks up a day");
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(page.faults).toEqual([]);
});

test("what a service signs in with is neither shown in the review nor afterwards", async () => {
  const services = await it.app.send(
    "GET",
    "/api/v1/services/?search_fields=name&search_field_values=Calendar",
  );
  await page.goto(`/console/services/${services.body.items[0].id}`);
  await page.getByRole("combobox", { name: "Authentication" }).click();
  await page.getByRole("option", { name: "Bearer token" }).click();
  await page.getByLabel("Token", { exact: true }).fill("very-secret");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("a new secret").waitFor();
  expect(await review.innerText()).not.toContain("very-secret");
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  await page.getByPlaceholder("stored; type to replace it").waitFor();
  expect(await page.content()).not.toContain("very-secret");
  expect(page.faults).toEqual([]);
});

test("a host is added to a service with its secret, and the form says why", async () => {
  const made = await it.app.send("POST", "/api/v1/services/", {
    name: "Billing",
    description: "",
    auth_type: "bearer",
    auth_values: { token: "very-secret" },
    allowed_hosts: ["api.example.com"],
  });
  await page.goto(`/console/services/${made.body.id}`);
  await page.getByText("api.example.com", { exact: true }).waitFor();
  const hosts = page
    .getByRole("combobox", { name: "Allowed hosts" })
    .or(page.getByLabel("Allowed hosts"))
    .first();
  await hosts.fill("other.example.com");
  await hosts.press("Enter");
  await page.getByText("The stored credentials would also be sent to other.example.com.").waitFor();
  await page.getByLabel("Token", { exact: true }).fill("very-secret");
  await page.getByText("The stored credentials would also be sent").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  const { body } = await it.app.send("GET", `/api/v1/services/${made.body.id}`);
  expect(body.allowed_hosts).toEqual(["api.example.com", "other.example.com"]);
  expect(page.faults).toEqual([]);
});

test("a tool that is switched to GET sends its arguments in the query", async () => {
  await page.goto("/console/tools/look_up");
  const chosen = (name: string) => page.getByRole("combobox", { name, exact: true });
  const choose = async (name: string, option: string) => {
    await chosen(name).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("Method", "POST");
  await choose("Send arguments as", "JSON body");
  await choose("Method", "GET");
  await expect.poll(() => chosen("Send arguments as").inputValue()).toBe("Query");
});

test("the test pane shows the request of a GET tool as it was sent: arguments in the URL, headers, no body", async () => {
  await page.goto("/console/tools/look_up");
  const choose = async (name: string, option: string) => {
    await page.getByRole("combobox", { name, exact: true }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("Method", "POST");
  await choose("Send arguments as", "JSON body");
  await choose("Method", "GET");
  const before = peer.requests.length;
  await page.getByRole("tab", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Add" }).first().click();
  await page.getByLabel("Name 1 of Variables").fill("clinic");
  await page.getByLabel("Value 1 of Variables").fill("North & Co");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("answered", { exact: true }).waitFor();
  expect(peer.requests.length).toBe(before + 1);
  const sent = peer.requests.at(-1);
  expect(sent).toMatchObject({ method: "GET", body: "" });
  // What is shown is what the service got, to the last character.
  await page.getByText(`GET ${peer.url}${sent?.path}`).waitFor();
  expect(sent?.path).toBe("/slots?day=monday&clinic=North+%26+Co");
  const shown = await page.getByLabel("Headers", { exact: true }).last().innerText();
  expect(shown).toContain("user-agent");
  await page.getByText("(no body)").waitFor();
  expect(page.faults).toEqual([]);
});

test("tools of an MCP server are added from its page, and a change is read before it is accepted", async () => {
  const server = await createPeer();
  const offered = { name: "book", description: "Books a slot.", inputSchema: { type: "object" } };
  server.respond((request, response) => {
    const { id, method } = JSON.parse(request.body);
    const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
    const result = method === "server/discover" ? discovered : { tools: [offered] };
    json(response, 200, { jsonrpc: "2.0", id, result });
  });
  const input = { name: "Booking", description: "", mcp_url: `${server.url}/mcp` };
  const { body } = await it.app.send("POST", "/api/v1/services/", input);
  await page.goto(`/console/services/${body.id}`);
  await page.getByText("The list was not read yet").waitFor();
  await page.getByRole("button", { name: "Read the list" }).click();
  await page.getByRole("checkbox", { name: "book" }).click();
  await page.getByRole("button", { name: "Add tools" }).click();
  await page.getByRole("link", { name: "book" }).first().waitFor();

  offered.description = "Books two slots.";
  await page.getByRole("button", { name: "Read the list" }).click();
  await page.getByText("Description changed").waitFor();
  await page.getByRole("button", { name: "Changes of book" }).click();
  await page.getByRole("button", { name: "Accept the changes of book" }).click();
  await page.getByText("Description changed").waitFor({ state: "detached" });
  const tool = await it.app.send("GET", "/api/v1/tools/book");
  expect(tool.body.definition.tool.function.description).toBe("Books two slots.");
  expect(page.faults).toEqual([]);
});
