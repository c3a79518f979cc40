import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { axeFindings, type ConsoleTest, createConsoleTest } from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

/** Clicks are counted: a person's, on links, buttons and fields. */
const MOST_CLICKS = 20;

test("from nothing to a clinic's agent that visitors reach, on one page: 20 clicks at most and no JSON", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents");
  let clicks = 0;
  const click = async (role: "link" | "button" | "textbox", name: string | RegExp) => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  const confirm = async (name: string) => {
    clicks++;
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await click("link", "New agent");
  await click("button", "Book appointments");
  await page.getByRole("dialog").getByLabel("Name").fill("North clinic");
  await confirm("Create agent");
  await page.getByRole("heading", { level: 1, name: "North clinic" }).waitFor();
  const made = page.url();

  await click("textbox", "Greeting text");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("North clinic, good morning. What do you need?");
  await click("button", "Save greeting");
  await confirm("Save");

  await click("button", "Add language");
  await page.getByText("Language 3", { exact: true }).waitFor();
  await click("button", "Save languages");
  await confirm("Save");

  await click("button", "Add data source");
  await page.getByRole("dialog").getByLabel("Name").fill("prices of the clinic");
  await page
    .getByRole("dialog")
    .getByRole("textbox", { name: "Text", exact: true })
    .fill("A check-up costs 40 euros.");
  await confirm("Add");
  await page.getByRole("link", { name: "prices_of_the_clinic" }).waitFor();

  await click("button", "Start conversation");
  const conversation = page.getByLabel("Conversation", { exact: true });
  await conversation.getByText("North clinic, good morning. What do you need?").waitFor();
  await page.getByLabel("Your message").fill("I would like to book a check-up on monday");
  await page.getByLabel("Your message").press("Enter");
  await click("button", /^find_slots/);
  await page.getByRole("region", { name: "Result" }).getByText("slot_id").first().waitFor();

  await click("button", "Add chat page");
  await confirm("Connect");
  await page.getByText("Version 1 is live").waitFor();
  await click("button", "Share the link and widget of north-clinic");
  await page.getByRole("button", { name: "Copy the widget of north-clinic" }).waitFor();
  await page.getByRole("link", { name: "allowed sites" }).waitFor();
  expect(page.url()).toBe(made);
  expect(page.faults).toEqual([]);
  process.stdout.write(`A clinic's agent from nothing: ${clicks} clicks\n`);
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);

  const { body } = await it.app.send("GET", `/api/v1/agents/${made.split("/").at(-1)}`);
  expect(body.language_group.language_configs).toHaveLength(3);
  expect(body.prompt.tools).toContain("data_source_search");
  expect(body.prompt_tool_defaults).toContainEqual({
    tool_name: "data_source_search",
    default_values: [{ field_name: "doc", default_value: ["prices_of_the_clinic"] }],
  });
});

const SLOW = `Help.
\`\`\`script
on "slow" -> say "Here is the first half." then wait 60000ms then say "And the second."
otherwise -> say "I am listening."
\`\`\``;

test("words appear while the model writes, Stop ends the answer, and the talk goes on", async () => {
  const agent_id = await scripted("Slow", SLOW);
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("button", { name: "Start conversation" }).click();
  await page.getByLabel("Your message").fill("slow please");
  await page.getByLabel("Your message").press("Enter");
  const conversation = page.getByLabel("Conversation", { exact: true });
  // The model still waits with its second half.
  await conversation.getByText("Here is the first half.").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.getByLabel("Your message").fill("go on");
  await page.getByLabel("Your message").press("Enter");
  await conversation.getByText("I am listening.").waitFor();
  await conversation.getByText("Here is the first half.").waitFor();
  expect(await conversation.getByText("And the second.").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a message that does not arrive is in its field again, unless something else was typed meanwhile", async () => {
  const agent_id = await scripted("Not reached", SLOW);
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("button", { name: "Start conversation" }).click();
  const field = page.getByLabel("Your message");
  await field.fill("go on");
  await field.press("Enter");
  const conversation = page.getByLabel("Conversation", { exact: true });
  await conversation.getByText("I am listening.").waitFor();
  const failing = Promise.withResolvers<void>();
  await page.route("**/agents/test/messages", async (route) => {
    await failing.promise;
    await route.abort();
  });
  await field.fill("a long question");
  await field.press("Enter");
  expect(await field.inputValue()).toBe("");
  failing.resolve();
  await conversation.getByText("The request failed").waitFor();
  await expect.poll(() => field.inputValue()).toBe("a long question");
  await field.press("Enter");
  await field.fill("another one");
  await conversation.getByText("The request failed").waitFor();
  expect(await field.inputValue()).toBe("another one");
  await page.unroute("**/agents/test/messages");
  await field.press("Enter");
  await conversation.getByText("another one").waitFor();
  expect(page.faults).toEqual([]);
});

test("a half-written message is there again after a reload, and gone once it is sent", async () => {
  const agent_id = await scripted("Reloaded", SLOW);
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent_id}`);
  const field = page.getByLabel("Your message");
  const again = async () => {
    await page.reload();
    await page.getByRole("button", { name: "Start conversation" }).click();
    await field.waitFor();
  };
  await page.getByRole("button", { name: "Start conversation" }).click();
  await field.fill("a long question");
  await again();
  expect(await field.inputValue()).toBe("a long question");
  await field.press("Enter");
  await page.getByLabel("Conversation", { exact: true }).getByText("I am listening.").waitFor();
  await again();
  expect(await field.inputValue()).toBe("");
  expect(page.faults).toEqual([]);
});

test("a message that waits when the conversation is restarted is sent to neither conversation", async () => {
  const agent_id = await scripted("Restarted", SLOW);
  const page = await it.open(await it.person("Editor"));
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/agents/test/messages")) sent.push(request.postDataJSON().text);
  });
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("button", { name: "Start conversation" }).click();
  const conversation = page.getByLabel("Conversation", { exact: true });
  const say = async (words: string) => {
    await page.getByLabel("Your message").fill(words);
    await page.getByLabel("Your message").press("Enter");
    await conversation.getByText(words, { exact: true }).waitFor();
  };
  await say("slow please");
  await conversation.getByText("Here is the first half.").waitFor();
  await say("still waiting");
  await page.getByRole("button", { name: "Restart" }).click();
  await say("hello again");
  await conversation.getByText("I am listening.").waitFor();
  expect(sent).toEqual(["", "slow please", "", "hello again"]);
  expect(await conversation.getByText("still waiting").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a missing microphone is said in the words of the page, and is no failed request", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${await scripted("Unheard", "Help.")}`);
  await page.evaluate(`navigator.mediaDevices.getUserMedia = () =>
    Promise.reject(new DOMException("none", "NotFoundError"))`);
  await page.getByRole("button", { name: "Talk by voice" }).click();
  const told = page.getByRole("alert");
  await told.waitFor();
  expect(await told.innerText()).toBe("No microphone was found. Connect one, then call again.");
  expect(page.faults).toEqual([]);
});

test("a call that is hung up or left while its code is on the way does not begin", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${await scripted("Called", "Help.")}`);
  await page.evaluate(`navigator.mediaDevices.getUserMedia = () => {
    document.body.dataset.microphone = "asked";
    return Promise.reject(new Error("none"));
  }`);
  const { promise: isLeft, resolve: goOn } = Promise.withResolvers<void>();
  await page.route("**/call-line.js", async (route) => {
    await isLeft;
    await route.continue();
  });
  await page.getByRole("button", { name: "Talk by voice" }).click();
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByRole("button", { name: "Talk by voice" }).click();
  await page.getByRole("button", { name: "Mute" }).click();
  await page.getByRole("link", { name: "Agents", exact: true }).last().click();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  goOn();
  await page.evaluate('import("/chat/assets/console/call-line.js")');
  expect(await page.evaluate("document.body.dataset.microphone")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test.each(["before its code has come", "before the browser has opened it"])(
  "a microphone that is muted %s is opened muted",
  async (when) => {
    const page = await it.open(await it.person("Editor"));
    await page.goto(`/console/agents/${await scripted(`Muted ${when}`, "Help.")}`);
    // A microphone without a device, that opens when the test lets it.
    await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => {
    await new Promise((open) => Object.assign(window, { openMicrophone: open }));
    const { stream } = new AudioContext().createMediaStreamDestination();
    [window.track] = stream.getAudioTracks();
    return stream;
  }`);
    const { promise: isReady, resolve: goOn } = Promise.withResolvers<void>();
    await page.route("**/call-line.js", async (route) => {
      await isReady;
      await route.continue();
    });
    const isAsked = () => expect.poll(() => page.evaluate("typeof window.openMicrophone")).toBe("function");
    await page.getByRole("button", { name: "Talk by voice" }).click();
    if (when === "before the browser has opened it") {
      goOn();
      await isAsked();
    }
    await page.getByRole("button", { name: "Mute" }).click();
    goOn();
    await isAsked();
    // The call asks for this once it has the microphone, and waits.
    await page.route("**/test/calls", () => {});
    const asked = page.waitForRequest("**/test/calls");
    await page.evaluate("window.openMicrophone()");
    await asked;
    expect(await page.evaluate("window.track.enabled")).toBe(false);
    await page.getByRole("button", { name: "Unmute" }).click();
    expect(await page.evaluate("window.track.enabled")).toBe(true);
    await page.getByRole("button", { name: "Hang up" }).click();
    expect(page.faults).toEqual([]);
  },
);

test("what a second person saves meanwhile is shown, and nothing that was typed is lost", async () => {
  const agent_id = await scripted("Shared", "Help.");
  const name = `${"Reception ".repeat(20)}مرحبا`;
  const page = await it.open(await it.person("Editor"), { viewport: { width: 320, height: 700 } });
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("textbox", { name: "Description" }).fill("typed before the other saved");
  const { body } = await it.app.send("GET", `/api/v1/agents/${agent_id}`);
  const { channel_targets, custom_message, language_group, prompt, tools, validation_issues, ...fields } =
    body;
  const saved = await it.app.send("PUT", "/api/v1/agents/", { ...fields, name });
  expect(saved.status).toBe(200);
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog");
  await review.getByText("typed before the other saved").waitFor();
  await review.getByText("Your changes are not affected.").waitFor();
  await review.getByRole("button", { name: "Merge their changes" }).click();
  await review.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Review and save" }).click();
  await review.getByText("typed before the other saved").waitFor();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await review.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1 }).filter({ hasText: "مرحبا" }).waitFor();
  const { body: now } = await it.app.send("GET", `/api/v1/agents/${agent_id}`);
  expect(now).toMatchObject({ name, description: "typed before the other saved" });
  // A name of 200 letters, in two directions, on the narrowest telephone: nothing is pushed off the page.
  const overflow = () => page.locator("html").evaluate((root) => root.scrollWidth - root.clientWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
  expect(page.faults).toEqual([]);
});

test("a greeting that was just written is there when the page is left and opened again at once", async () => {
  const agent_id = await scripted("Greets at once", "Help.");
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents");
  await page.getByRole("link", { name: "Greets at once" }).first().click();
  await page.getByRole("button", { name: "Write a greeting" }).click();
  const greeting = page.getByRole("textbox", { name: "Greeting text" });
  await greeting.fill("Good morning.");
  // The agent is not read again before the test ends.
  let isSaved = false;
  await page.route("**/api/v1/agents/", async (route) => {
    isSaved = route.request().method() === "PUT";
    await route.continue();
  });
  await page.route(`**/api/v1/agents/${agent_id}`, async (route) => {
    if (!isSaved) await route.continue();
  });
  await page.getByRole("button", { name: "Save greeting" }).click();
  await page.getByText("Greeting saved").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Greets at once" }).first().click();
  await greeting.getByText("Good morning.").waitFor();
  expect(page.faults).toEqual([]);
});

test("a first greeting is saved whatever the agent is called, and once only where the agent could not be given it at first", async () => {
  const name = "Terminvereinbarung ".repeat(13).trim();
  const agent_id = await scripted(name, "Help.");
  const taken = { name: `${name.slice(0, 232)} greeting`, type: "greeting", text: "Of somebody else" };
  expect((await it.app.send("POST", "/api/v1/custom_messages/", taken)).status).toBe(200);
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("button", { name: "Write a greeting" }).click();
  await page.getByRole("textbox", { name: "Greeting text" }).fill("Good morning.");
  await page.route(
    "**/api/v1/agents/",
    (route) => route.fulfill({ status: 503, contentType: "application/json", body: '{"detail": "Busy."}' }),
    { times: 1 },
  );
  await page.getByRole("button", { name: "Save greeting" }).click();
  await page.getByRole("alert").getByText("Busy.").waitFor();
  await page.getByRole("button", { name: "Save greeting" }).click();
  await page.getByText("Greeting saved").waitFor();
  const { items } = (await it.app.send("GET", "/api/v1/custom_messages/?limit=100")).body;
  const named = items.filter((message: typeof taken) => message.name.startsWith(taken.name.slice(0, 200)));
  expect(named.map(({ name, text }: typeof taken) => [name, text])).toEqual([
    [taken.name, "Of somebody else"],
    [`${taken.name} 2`, "Good morning."],
  ]);
  expect(page.faults).toEqual([]);
});

test("who deletes an agent is told that what else is typed on its page goes with it", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto(`/console/agents/${await scripted("Deleted with words", "Help.")}`);
  const told = page.getByRole("dialog").getByText("Unsaved changes on this page are discarded, too.");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
  expect(await told.count()).toBe(0);
  await page.getByRole("textbox", { name: "Instructions" }).fill("Help gladly.");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await told.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("a text is given to the agent though the organization has more than a list shows", async () => {
  const agent_id = await scripted("Reader", "Help.");
  const names = Array.from({ length: 205 }, (_, n) => `leaflet_${String(n).padStart(3, "0")}`);
  for (const name of names) {
    const body = { name, description: null, labels: [], chunk: true, text: `About ${name}.` };
    expect((await it.app.send("POST", "/api/v1/data_sources/", body)).status).toBe(200);
  }
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent_id}`);
  // Whichever way the list is ordered, one of the two lies beyond what it shows.
  for (const name of [names[0] as string, names.at(-1) as string]) {
    const choice = page.getByRole("combobox", { name: "Existing data source" });
    await choice.click();
    await choice.fill(name);
    await page.getByRole("option", { name }).click();
    await page.getByRole("button", { name: `Remove ${name} from the agent` }).waitFor();
  }
  expect(page.faults).toEqual([]);
});

test("a text that was stored while the agent could not be given it is added by a second press, as it is written then", async () => {
  const agent_id = await scripted("Half a text", "Help.");
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent_id}`);
  await page.getByRole("button", { name: "Add data source" }).click();
  const window = page.getByRole("dialog", { name: "Add data source" });
  const text = window.getByRole("textbox", { name: "Text", exact: true });
  await window.getByLabel("Name").fill("half prices");
  await text.fill("A check-up costs 40 euros.");
  let refused = 0;
  await page.route("**/api/v1/agents/", (route) =>
    route.request().method() === "PUT" && refused++ === 0
      ? route.fulfill({ status: 503, json: { detail: "Database unavailable" } })
      : route.continue(),
  );
  await window.getByRole("button", { name: "Add", exact: true }).click();
  await window.getByRole("alert").waitFor();
  await text.fill("A check-up costs 45 euros.");
  await window.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "Remove half_prices from the agent" }).waitFor();
  const { body: found } = await it.app.send(
    "GET",
    "/api/v1/data_sources/?search_fields=name&search_field_values=half",
  );
  expect(found.items.map(({ name }: { name: string }) => name)).toEqual(["half_prices"]);
  const { body: source } = await it.app.send("GET", `/api/v1/data_sources/${found.items[0].id}`);
  expect(source.text).toBe("A check-up costs 45 euros.");
});

async function scripted(name: string, context: string): Promise<number> {
  const { body: prompt } = await it.app.send("POST", "/api/v1/prompts/", {
    name,
    type: "prompt_v1",
    context,
    tools: [],
    llm_config: { provider: "openai", model: "scripted" },
  });
  const { body: agent } = await it.app.send("POST", "/api/v1/agents/", {
    name,
    type: "ca_v1",
    prompt_id: prompt.id,
    timezone: "UTC",
    variables: {},
    tool_headers: null,
  });
  return agent.id;
}

test("a greeting is written where there is none, and said in the next conversation", async () => {
  const { body: prompt } = await it.app.send("POST", "/api/v1/prompts/", {
    name: "Silent",
    type: "prompt_v1",
    context: "Help.",
    tools: [],
    llm_config: {},
  });
  const { body: agent } = await it.app.send("POST", "/api/v1/agents/", {
    name: "Silent",
    type: "ca_v1",
    prompt_id: prompt.id,
    timezone: "UTC",
    variables: {},
    tool_headers: null,
  });
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/agents/${agent.id}`);
  await page.getByText("The agent waits until the person says something.").waitFor();
  await page.getByRole("button", { name: "Write a greeting" }).click();
  await page.getByRole("textbox", { name: "Greeting text" }).click();
  await page.keyboard.insertText("Good morning from the front desk.");
  await page.getByRole("button", { name: "Save greeting" }).click();
  await page.getByText("Greeting saved").waitFor();
  await page.getByRole("button", { name: "Start conversation" }).click();
  await page
    .getByLabel("Conversation", { exact: true })
    .getByText("Good morning from the front desk.")
    .waitFor();
  const stored = await it.app.send("GET", `/api/v1/agents/${agent.id}`);
  expect(stored.body.custom_message).toMatchObject({
    name: "Silent greeting",
    text: "Good morning from the front desk.",
  });
  expect(page.faults).toEqual([]);
});

test("a copy of an agent has instructions of its own, and who shares them is told", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  const { body: original } = await it.app.send("GET", "/api/v1/agents/1");
  await page.getByRole("button", { name: "Duplicate", exact: true }).click();
  const window = page.getByRole("dialog");
  await expect.poll(() => window.getByLabel("Name").inputValue()).toBe("Demo clinic copy");
  await window.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("heading", { level: 1, name: "Demo clinic copy" }).waitFor();
  await page.getByRole("textbox", { name: "Instructions" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("Say no more than five words.");
  await page.getByRole("button", { name: "Save instructions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Instructions saved").waitFor();
  const { body: now } = await it.app.send("GET", "/api/v1/agents/1");
  expect(now.prompt.context).toBe(original.prompt.context);

  // Another agent made of the same prompt by hand shares it.
  await it.app.send("POST", "/api/v1/agents/", {
    name: "Second desk",
    type: "ca_v1",
    prompt_id: original.prompt_id,
    timezone: "UTC",
    variables: {},
    tool_headers: null,
  });
  await page.goto("/console/agents/1");
  await page.getByText("1 other agent uses these instructions, too").waitFor();
  expect(page.faults).toEqual([]);
});

test("an agent leaves as a file and comes back from it, and a file with a mistake tells the place", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/2");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.yaml$/);
  const text = readFileSync(await download.path(), "utf8");
  expect(text).toContain("format: parley-agent-1");

  await page.goto("/console/agents/new");
  const choose = async (content: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Import a file" }).click(),
    ]);
    await chooser.setFiles({
      name: "agent.yaml",
      mimeType: "application/yaml",
      buffer: Buffer.from(content),
    });
  };
  await choose(text.replace(/^timezone: .*$/m, "timezone: Mars/Olympus"));
  await page.getByRole("alert").getByText("timezone").waitFor();
  await choose(text.replace(/^name: .*$/m, "name: Reminder from a file"));
  await page.getByRole("heading", { level: 1, name: "Reminder from a file" }).waitFor();
  await page.getByRole("button", { name: "Start conversation" }).click();
  await page.getByLabel("Conversation", { exact: true }).getByText("Can you come to your visit?").waitFor();
  expect(page.faults).toEqual([]);
});

test("who may only read sees the agent's parts and can save none of them", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/1");
  await page.getByRole("textbox", { name: "Instructions" }).waitFor();
  await page.getByRole("heading", { name: "Addresses" }).waitFor();
  for (const verb of [/^Save/, "Duplicate", "Add chat page", "Write a greeting"])
    expect(await page.getByRole("button", { name: verb }).count(), String(verb)).toBe(0);
  await page.goto("/console/agents/new");
  expect(await page.getByText("Start from a template").count()).toBe(0);
  expect(page.faults).toEqual([]);
});
