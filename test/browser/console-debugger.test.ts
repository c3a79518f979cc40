import { beforeAll, expect, test } from "vitest";
import { axeFindings, type ConsoleTest, createConsoleTest } from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

/** A conversation with the demo's reminder agent, in which the person answers so. */
async function reminded(...answers: string[]): Promise<number> {
  const { body: agents } = await it.app.send("GET", "/api/v1/agents/");
  const { id } = agents.items.find(({ name }: { name: string }) => /remind/i.test(name));
  const say = async (text: string, more: object = {}) => {
    const message = {
      service_name: "console",
      source: "someone",
      test_id: "debugged",
      agent_id: String(id),
      text,
    };
    return (await it.app.send("POST", "/api/v1/agents/test/messages", { ...message, ...more })).body;
  };
  await say("", { session_start: true, variables: { name: "Ada", visit_date: "2026-12-04" } });
  const { response } = await say("hello");
  for (const answer of answers) await say(answer);
  return response.content.session_id;
}

test("an author asks why the agent did not ask for another day, sees the condition with its operand, and the other way", async () => {
  const session_id = await reminded("yes");
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByRole("region", { name: "Turn 2" }).getByRole("link", { name: "Open in debugger" }).click();
  await page.getByRole("heading", { level: 1, name: "Debug turn 2" }).waitFor();
  await expect.poll(() => page.getByLabel("Person's message").inputValue()).toBe("yes");

  await page.getByRole("combobox", { name: "At conditions of steps" }).press("ArrowDown");
  await page.getByRole("option", { name: "ASK_COMING" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Condition from ASK_COMING to ASK_NEEDS").waitFor();
  await page.getByText("holds", { exact: true }).waitFor();
  const operand = page.getByRole("table", { name: "Values in the condition" }).getByRole("row").last();
  await expect.poll(() => operand.innerText()).toMatch(/coming\s+true/);
  expect(await axeFindings(page)).toEqual([]);

  await page.getByLabel("Value of coming", { exact: true }).fill("false");
  await page.getByRole("button", { name: "Continue" }).press("Enter");
  await page.getByText("The turn has ended").waitFor();
  // The button is gone, and the keyboard is at the one in its place.
  await page.getByRole("button", { name: "Back to turn 2" }).and(page.locator(":focus")).waitFor();
  await page.getByText("Which other day would suit you?").first().waitFor();

  await page.getByRole("button", { name: "Back to turn 2" }).click();
  await page.getByLabel("Person's message").fill("no");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("does not hold").waitFor();

  // A breakpoint is set on the canvas, too; the step where the turn stands is marked there.
  await page.getByRole("button", { name: "Back to turn 2" }).click();
  const steps = page.getByRole("region", { name: "Steps of confirm-visit" });
  await steps.getByRole("button", { name: "Stop at conditions of ASK_COMING" }).click();
  await steps.locator(".react-flow__node").getByText("ASK_OTHER_DAY", { exact: true }).click();
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Before step ASK_OTHER_DAY").waitFor();
  expect(page.faults).toEqual([]);
});

test("a tool's result is replaced by JSON only: what is none is marked, and the turn does not go on with it", async () => {
  const session_id = await reminded("no", "2026-12-04");
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/sessions/${session_id}/debug?turn=3`);
  await page.getByRole("combobox", { name: "Before tools" }).press("ArrowDown");
  await page.getByRole("option", { name: "find_slots" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("Before the call of find_slots").waitFor();

  const another = page.getByRole("switch", { name: "Use another result" });
  expect(await page.getByText("Off: the tool answers as recorded.").count()).toBe(1);
  await another.check();
  const result = page.getByLabel("Result to use instead");
  await result.fill("nothing free");
  await page.getByText("Invalid JSON").first().waitFor();
  const goOn = page.getByRole("button", { name: "Continue" });
  expect(await goOn.isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await result.fill('{"slots": []}');
  await goOn.click();
  await page.getByText("The turn has ended").waitFor();
  await page.getByText("Nothing is free that day, I am sorry.").first().waitFor();
  expect(page.faults).toEqual([]);
});
