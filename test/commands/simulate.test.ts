import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { ofThisRun } from "../harness/seed.ts";
import { newFolder, parley, run, until, usedFolder } from "./program.ts";

test("simulate has people call, text and mail the demo's agent, prints what was said, and leaves nothing", async () => {
  const folder = newFolder();
  const { code, stdout } = await run(["simulate", "--json", "--seed", "3"], { folder });
  expect(code).toBe(0);
  const simulated = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(simulated.map(({ kind }) => kind)).toEqual(["call", "texts", "mails"]);
  for (const { lines, cut } of simulated) {
    expect(cut).toBeNull();
    expect(lines.map((line: { role: string }) => line.role)).toEqual(
      expect.arrayContaining(["agent", "user"]),
    );
  }
  for (const { lines } of simulated) {
    expect(lines.some((line: { text: string }) => line.text.includes("Your confirmation number is"))).toBe(
      true,
    );
  }
  expect(readdirSync(folder)).toEqual([]);
});

test.each(ofThisRun([/^parley-demo-\w+$/, /postgres\.log$/, /PG_VERSION$/]))(
  "Ctrl-C once there is %s ends it with code 130, without a word, and leaves nothing",
  async (reached) => {
    const folder = newFolder();
    const program = parley(["simulate"], { folder, env: { TMPDIR: folder } });
    await until(() => below(folder).some((file) => reached.test(file)));
    expect(await program.end("SIGINT")).toEqual({ code: 130, signal: null });
    expect(program.stderr()).toBe("");
    expect(readdirSync(folder)).toEqual([]);
  },
);

// Played to its end, the campaign of 200 people takes minutes.
test("demo-campaign ends when nobody reads what it prints any more, without a word, and leaves nothing", async () => {
  const folder = newFolder();
  const program = parley(["demo-campaign"], { folder, env: { TMPDIR: folder } });
  await until(() => program.stdout() !== "");
  program.child.stdout?.destroy();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe("");
  expect(readdirSync(folder)).toEqual([]);
});

/** Nothing while a folder goes away under the look. */
function below(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

test("simulate --agent has people call, text and mail an agent of the program that runs here, each to the end, and counts them", async () => {
  const { folder } = await usedFolder();
  const program = parley(["start"], { folder, env: { SIMULATOR_SPEED: "12" } });
  const { url } = await program.ready();
  const env = { PORT: new URL(url).port };
  const { code, stdout, stderr } = await run(["simulate", "--agent", "Demo clinic", "--json"], {
    folder,
    env,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const talks = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { channels } = talks.pop();
  for (const kind of ["call", "texts", "mails"]) {
    const { began, answered, finished } = channels[kind];
    expect(began).toBeGreaterThanOrEqual(3);
    const said = talks.filter((talk) => talk.kind === kind).map((talk) => JSON.stringify(talk));
    const seen = [...said, ...warnings(program.stderr())].join("\n");
    expect({ kind, answered, finished }, seen).toEqual({ kind, answered: began, finished: began });
    const books = talks.find((talk) => talk.kind === kind && talk.from.startsWith("answers and books"));
    expect(JSON.stringify(books.lines)).toContain("Your confirmation number is");
  }
  const unknown = await run(["simulate", "--agent", "Nobody"], { folder, env });
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no agent Nobody") });
  expect((await run(["simulate", "--agent"], { folder, env })).code).toBe(2);
});

/** What the program's log has beside the usual. */
const warnings = (log: string): string[] => log.split("\n").filter((line) => /"level":[456]0/.test(line));

test("a folder for temporary files that isn't there is named, with what to do", async () => {
  const folder = newFolder();
  const outcome = await run(["simulate"], { folder, env: { TMPDIR: `${folder}/gone` } });
  expect(outcome).toMatchObject({
    code: 1,
    stderr: `parley: ${folder}/gone/parley-demo (TMPDIR) can't be written: its folder isn't there. Make the folder, or name another one.\n`,
  });
});

test("a seed that is no number is told so", async () => {
  const { code, stderr } = await run(["simulate", "--seed", "x"], { folder: newFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain("A seed is a number");
});
