import { beforeAll, expect, test } from "vitest";
import { type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { insightsOf, type PastSession, pastSession } from "../harness/insights.ts";

let it: ConsoleTest;
let tool: string;
beforeAll(async () => {
  it = await createConsoleTest();
  for (const said of ["I want to book.", "When do you open?"])
    await pastSession(it.app, it.app.admin, { said: [["user", said]] } satisfies PastSession);
  ({ name: tool } = await insightsOf(it.app).tool({
    name: "Speaks of a booking",
    insight_tool_definition_id: 5,
    tool_arguments: { pattern: "book" },
  }));
});

test("an author makes a judge, and labels sessions by keys without seeing what it says of them", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/tests/judges");
  await page.getByRole("main").getByRole("link", { name: "Tests" }).waitFor();
  await page.goto("/console/tests/judges/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Booking");
  await page.getByRole("textbox", { name: "Question" }).fill("Does the person want to book?");
  await page.getByRole("combobox", { name: "Insight tool" }).click();
  await page.getByRole("option", { name: tool }).click();
  await page.getByRole("combobox", { name: "Verdict output" }).fill("matched");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("0 of at least 50 labelled sessions are answered").waitFor();

  await page.getByRole("link", { name: "Label sessions" }).click();
  await page.getByText("Does the person want to book?").waitFor();
  await page.getByText(/I want to book\.|When do you open\?/).waitFor();
  const first = await page.getByRole("heading", { name: /^Session \d+$/ }).textContent();
  await page.keyboard.press("y");
  await page.getByText("1 labelled").waitFor();
  await page.getByRole("heading", { name: first as string, exact: true }).waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.getByText("2 labelled").waitFor();
  const labels = await it.app.db
    .selectFrom("judge_labels")
    .select(["label", "answer"])
    .orderBy("labelled_at")
    .execute();
  expect(labels.map(({ label }) => label).toSorted()).toEqual(["no", "yes"]);
  expect(page.faults).toEqual([]);
});
