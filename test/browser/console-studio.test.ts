import { beforeAll, expect, test } from "vitest";
import {
  axeFindings,
  type ConsolePage,
  type ConsoleTest,
  createConsoleTest,
  saveReviewed,
} from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

const WIDE = { viewport: { width: 1500, height: 1100 } };
const node = (page: ConsolePage, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
/** A field by its label, which may have a star behind it. */
const field = (page: ConsolePage, label: string) =>
  page
    .getByRole("main")
    .locator("input:not([type=radio]):not([type=checkbox]), textarea")
    .and(page.getByLabel(new RegExp(`^${label.replace(/[()]/g, "\\$&")}( \\*)?$`)))
    .first();
const taskOf = async (name: string) =>
  (await it.app.send("GET", `/api/v1/tools/${name}`)).body.definition.context.task;

test("an author builds the clinic's appointment workflow from nothing, plays it with the real calendar and saves it, without JSON", async () => {
  const page = await it.open(await it.person("Editor"), WIDE);
  const main = page.getByRole("main");
  let clicks = 0;
  const click = async (role: "link" | "button" | "menuitem" | "option" | "radio", name: string) => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  const write = async (label: string, text: string) => {
    clicks++;
    await field(page, label).fill(text);
  };
  const choose = async (label: string, option: string) => {
    clicks++;
    await page.getByRole("combobox", { name: label, exact: true }).first().click();
    await click("option", option);
  };
  const instruct = async (text: string) => {
    clicks++;
    await page.getByRole("textbox", { name: "Instruction 1" }).click();
    await page.keyboard.insertText(text);
  };

  await page.goto("/console/tools");
  await click("link", "New workflow");
  await page.locator("nav[aria-label=Main] [aria-current=page]").getByText("Tools").waitFor();
  await write("Name", "Offer a time");
  await page.getByText("The model knows it as offer_a_time.").waitFor();
  await choose("Agent", "Demo clinic");
  await click("button", "Create workflow");
  await page.getByRole("heading", { level: 1, name: "offer_a_time" }).waitFor();

  // The first step asks for a day and looks for times.
  await write("Step", "ASK_DAY");
  await write("Goal", "Find out which day suits the person");
  await instruct("Use one sentence. ");
  await click("button", "Add input");
  await main.getByRole("group", { name: "Input 1" }).getByLabel("Name").fill("date");
  await write("Question", "Which day suits you?");
  await click("button", "Validation of input 1");
  await choose("Format", "Date");
  await click("button", "Add action");
  await click("menuitem", "After the answers: Call a tool");
  await write("Tool of action 1 after the answers", "find_slots");
  await write("service (required) of action 1 after the answers", "check-up");
  clicks += 2;
  await main.getByLabel("date (required) of action 1 after the answers", { exact: true }).click();
  await page.getByRole("option", { name: "{{ date }}" }).click();
  await click("button", "Keep a part of the answer");
  await write("Part 1 of the answer, action 1 after the answers", "length(slots)");
  await write("Variable for part 1 of the answer, action 1 after the answers", "free");

  // The second is reached when there are some; otherwise the first asks again.
  await click("button", "Add step");
  await write("Step", "OFFER");
  await write("Goal", "Offer the times");
  await click("button", "Add instruction");
  await instruct("Say that {{ local.free }} times are free.");
  clicks++;
  await node(page, "ASK_DAY").click();
  await click("button", "Add transition");
  await click("button", "Add condition to transition 1");
  await write("Variable in the condition of transition 1", "local.free");
  await choose("Comparison in the condition of transition 1", "is greater than");
  // A number that was cleared is what the workflow still has.
  await field(page, "Value in the condition of transition 1").fill("");
  await field(page, "Value in the condition of transition 1").press("Tab");
  await expect.poll(() => field(page, "Value in the condition of transition 1").inputValue()).toBe("0");
  await click("button", "Add transition");
  await main.getByRole("list", { name: "Findings" }).waitFor({ state: "detached" });

  // It is played before it is saved.
  clicks++;
  await page.getByText("Play", { exact: true }).click();
  const talk = page.getByRole("region", { name: "Played conversation" });
  await talk.getByText("Use one sentence.").waitFor();
  await write("date", "2026-12-05");
  await click("button", "Answer");
  await click("button", "Call the tool");
  await talk.getByText("local.free is greater than 0: does not hold").waitFor();
  await write("date", "2026-12-04");
  await click("button", "Answer");
  await click("button", "Call the tool");
  await page.getByText("in OFFER", { exact: true }).waitFor();
  await talk.getByText(/Say that \d+ times are free\./).waitFor();
  await page
    .getByRole("table", { name: "Variables" })
    .getByRole("row", { name: /local\.free.*changed/ })
    .waitFor();
  await expect.poll(() => node(page, "OFFER").getAttribute("class")).toContain("selected");
  expect(await axeFindings(page)).toEqual([]);

  clicks += 2;
  await saveReviewed(page);
  expect(page.faults).toEqual([]);
  process.stdout.write(`The author's tour took ${clicks} clicks.\n`);
  expect(clicks).toBeLessThanOrEqual(45);
  const { body: agent } = await it.app.send("GET", "/api/v1/agents/1");
  expect(agent.prompt.tools).toContain("offer_a_time");
  expect((await taskOf("offer_a_time")).steps).toMatchObject([
    {
      id: "ASK_DAY",
      inputs: [{ name: "date", format: "date", description: "Which day suits you?" }],
      on: {
        submit: [
          {
            action: "call",
            name: "find_slots",
            arguments: { service: "check-up", date: "{{ date }}" },
            result: { save: [{ from: "length(slots)", to: "free" }] },
          },
        ],
      },
      next: [{ id: "OFFER", if: "local.free > `0`" }, "ASK_DAY"],
    },
    { id: "OFFER", instructions: ["Say that {{ local.free }} times are free."] },
  ]);
});

test("what is done on the canvas is undone and done again, is found faulty at its step, and is reached by keyboard", async () => {
  const page = await it.open(await it.person("Editor"), WIDE);
  await page.goto("/console/tools/visit_workflow");
  await node(page, "MOVED").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => field(page, "Step").inputValue()).toBe("MOVED");

  // Pulled to empty space, a transition ends in a new step there.
  const handle = node(page, "MOVED").locator(".react-flow__handle-bottom");
  const at = await handle.boundingBox();
  if (!at) throw new Error("no handle");
  await page.mouse.move(at.x + 4, at.y + 4);
  await page.mouse.down();
  await page.mouse.move(at.x + 40, at.y + 60, { steps: 4 });
  await page.mouse.up();
  await node(page, "STEP_7").waitFor();
  await page.getByRole("button", { name: "Remove transition to STEP_7" }).waitFor({ state: "detached" });
  await field(page, "Step").fill("LATER");
  await field(page, "Step").press("Enter");
  await node(page, "LATER").waitFor();
  await node(page, "LATER").press("ArrowDown");

  // A condition on what nothing sets is told at the field and on the canvas.
  await node(page, "MOVED").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add condition to transition 1" }).click();
  await field(page, "Variable in the condition of transition 1").fill("local.nothing");
  await field(page, "Comparison in the condition of transition 1").click();
  await page.getByRole("option", { name: "is true", exact: true }).click();
  await node(page, "MOVED")
    .getByText(/findings?$/)
    .waitFor();
  await page
    .getByRole("group", { name: "Transition 1 to LATER" })
    .getByText("Nothing in this task sets local.nothing")
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // Conditions that lead out of one step stand beside each other.
  const overlaps = `(() => {
    const boxes = [...document.querySelectorAll(".react-flow__edge-textbg")].map((label) => label.getBoundingClientRect());
    return boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) =>
      one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length;
  })()`;
  expect(await page.locator(".react-flow__edge-textbg").count()).toBeGreaterThan(3);
  expect(await page.evaluate(overlaps)).toBe(0);

  // A step that is dragged stays where it was dropped, and a transition goes by the keyboard.
  const box = async () => (await node(page, "CONFIRMED").boundingBox()) ?? { x: 0, y: 0 };
  const before = await box();
  await page.mouse.move(before.x + 30, before.y + 12);
  await page.mouse.down();
  await page.mouse.move(before.x + 10, before.y + 72, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => Math.round((await box()).y - before.y)).toBeGreaterThan(40);
  const edge = page.locator('.react-flow__edge[data-id="ASK_NEEDS-0"]');
  const removeEdge = async () => {
    await edge.focus();
    await page.keyboard.press("Delete");
    await edge.waitFor({ state: "detached" });
  };
  const removeLater = async () => {
    await node(page, "LATER").focus();
    await page.keyboard.press("Delete");
    await node(page, "LATER").waitFor({ state: "detached" });
  };
  await removeEdge();
  await page.keyboard.press("Control+z");
  await edge.waitFor({ state: "attached" });
  await removeLater();
  await page.getByRole("button", { name: "Undo" }).click();
  await node(page, "LATER").waitFor();

  await removeEdge();
  await removeLater();
  // Twice, sooner than the first is drawn.
  await page.evaluate(`for (const _ of [1, 2])
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true }))`);
  await node(page, "LATER").waitFor();
  await edge.waitFor({ state: "attached" });
  while (await page.getByRole("button", { name: "Undo" }).isEnabled())
    await page.getByRole("button", { name: "Undo" }).click();
  await node(page, "MOVED")
    .getByText(/findings?$/)
    .waitFor({ state: "detached" });
  await expect.poll(() => page.getByRole("button", { name: "Review and save" }).isDisabled()).toBe(true);
  await page.keyboard.press("Control+Shift+z");
  await node(page, "STEP_7").waitFor();
  expect(page.faults).toEqual([]);
});

test("the canvas stays in sight beside a step's long form, and a tall step lies on none below it", async () => {
  const page = await it.open(await it.person("Editor"), { viewport: { width: 1280, height: 900 } });
  await page.goto("/console/tools/visit_workflow");
  await node(page, "ASK_COMING").click();
  const goal = page.getByRole("textbox", { name: "Goal" });
  await goal.fill("Find out whether the person comes, and what they need for it. ".repeat(9));
  const boxOf = (id: string) => node(page, id).boundingBox();
  await expect
    .poll(async () => {
      const [tall, below] = [await boxOf("ASK_COMING"), await boxOf("ASK_NEEDS")];
      return tall !== null && below !== null && tall.y + tall.height < below.y;
    })
    .toBe(true);
  await page.getByRole("button", { name: "Remove this step" }).scrollIntoViewIfNeeded();
  await expect
    .poll(async () => (await page.getByRole("region", { name: "Steps of the workflow" }).boundingBox())?.y)
    .toBeGreaterThan(0);
  expect(page.faults).toEqual([]);
});

test("JSON and canvas stay in step; what is no workflow yet leaves the last good canvas, and is marked at its place", async () => {
  const page = await it.open(await it.person("Editor"), WIDE);
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto("/console/tools/visit_workflow");
  // Beside the canvas, once it is there; the page has a tab of that name, too.
  await node(page, "ASK_COMING").waitFor();
  await page.getByText("JSON", { exact: true }).last().click();
  const editor = page.getByRole("textbox", { name: "Definition" });
  await editor.getByText("ASK_COMING").first().dblclick();
  await page.keyboard.insertText("LAST_STEP");
  await node(page, "LAST_STEP").waitFor();
  await page.keyboard.insertText('x"y');
  await page.getByText("Invalid JSON:").waitFor();
  await node(page, "LAST_STEP").waitFor();
  await page.getByText("Step", { exact: true }).first().click();
  await page.getByText("The JSON that you typed is invalid.").waitFor();
  await page.getByText("JSON", { exact: true }).last().click();
  await page.getByText("Invalid JSON:").waitFor();
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByText("Invalid JSON:").waitFor({ state: "detached" });
  await page.getByText("Step", { exact: true }).first().click();
  await node(page, "LAST_STEP").click();
  await page.getByLabel("Goal").fill("Say goodbye warmly");
  await page.getByText("JSON", { exact: true }).last().click();
  await editor.getByText("Say goodbye warmly").waitFor();
  expect(page.faults).toEqual([]);
});

test("what was typed survives a closed window, and is merged with what another person saved meanwhile", async () => {
  const context = await it.open(await it.person("Editor"), WIDE);
  await context.goto("/console/tools/visit_workflow");
  await node(context, "MOVED").click();
  await field(context, "Goal").fill("Part as friends");
  await expect
    .poll(() => context.evaluate("Object.keys(localStorage).some((key) => key.startsWith('parley.draft.'))"))
    .toBe(true);
  context.on("dialog", (dialog) => void dialog.accept());
  await context.reload();
  await context.getByText("Unsaved changes").waitFor();

  const { body: tool } = await it.app.send("GET", "/api/v1/tools/visit_workflow");
  const definition = structuredClone(tool.definition);
  definition.context.task.steps.find(({ id }: { id: string }) => id === "CONFIRMED").goal = "Thank them";
  const { name, id, service_id } = tool;
  await it.app.send("PUT", "/api/v1/tools/", { name, id, service_id, definition });

  await context.getByRole("button", { name: "Restore my changes" }).click();
  await node(context, "MOVED").getByText("Part as friends").waitFor();
  await node(context, "MOVED").click();
  await context.getByRole("button", { name: "Review and save" }).click();
  const review = context.getByRole("dialog", { name: "Review the change" });
  await review.getByRole("button", { name: "Merge their changes" }).click();
  await node(context, "CONFIRMED").getByText("Thank them").waitFor();
  // Whoever merges is still at their step.
  expect(await field(context, "Goal").inputValue()).toBe("Part as friends");
  await saveReviewed(context);
  const goals = (await taskOf("visit_workflow")).steps.map(({ goal }: { goal: string }) => goal);
  expect(goals).toEqual(expect.arrayContaining(["Part as friends", "Thank them"]));

  // The version before it is compared, and comes back onto the canvas.
  await context.getByRole("tab", { name: "History" }).click();
  await context.getByRole("button", { name: "Compare" }).first().click();
  await context.getByText("Part as friends").first().waitFor();
  await context.getByRole("button", { name: "Restore" }).first().click();
  await context.getByRole("tab", { name: "Workflow" }).click();
  await node(context, "MOVED").getByText("Say goodbye").waitFor();
  expect(context.faults).toEqual([]);
});

test("a session is played again in the studio with the workflow as it is now, up to a breakpoint set on a step", async () => {
  const { body: agents } = await it.app.send("GET", "/api/v1/agents/");
  const { id } = agents.items.find((agent: { name: string }) => /remind/i.test(agent.name));
  const say = async (text: string, more: object = {}) => {
    const message = {
      service_name: "console",
      source: "someone",
      test_id: "studio",
      agent_id: String(id),
      text,
    };
    return (await it.app.send("POST", "/api/v1/agents/test/messages", { ...message, ...more })).body;
  };
  await say("", { session_start: true, variables: { name: "Ada", visit_date: "2026-12-04" } });
  await say("no");
  const { response } = await say("2026-12-04");

  const page = await it.open(await it.person("Editor"), WIDE);
  await page.goto(`/console/sessions/${response.content.session_id}`);
  await page.getByRole("button", { name: "Play from this session" }).click();
  await page.getByRole("heading", { level: 1, name: "visit_workflow" }).waitFor();
  await page.getByText("in ASK_COMING", { exact: true }).waitFor();
  await node(page, "ASK_OTHER_DAY")
    .getByRole("button", { name: "Stop before find_slots of ASK_OTHER_DAY" })
    .click();
  await page.getByRole("button", { name: "Run to breakpoint" }).click();
  await page.getByText("find_slots is called").waitFor();
  await page.getByRole("button", { name: "Run to breakpoint" }).click();
  await page.getByText("in MOVED", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});

test("who may only read a workflow sees its steps, and plays it", async () => {
  const page = await it.open(await it.person("Viewer"), WIDE);
  await page.goto("/console/tools/visit_workflow");
  await node(page, "ASK_NEEDS").click();
  expect(await field(page, "Goal").getAttribute("readonly")).not.toBeNull();
  expect(await page.getByRole("button", { name: "Add step" }).count()).toBe(0);
  await page.getByText("Play", { exact: true }).click();
  await page.getByRole("combobox", { name: "coming" }).click();
  await page.getByRole("option", { name: "Yes", exact: true }).click();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("in ASK_NEEDS", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});
