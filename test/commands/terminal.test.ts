import { beforeAll, describe, expect, test } from "vitest";
import { newFolder, otherProgram, parley, parleyForFile, run, send, usedFolder } from "./program.ts";

/** A running program's folder, and the environment that leads a terminal on this machine to it. */
let folder: string;
let env: { PORT: string };
beforeAll(async () => {
  folder = (await usedFolder()).folder;
  const { url } = await parleyForFile(["start"], { folder }).ready();
  env = { PORT: new URL(url).port };
});

const BOOKING = "I need a cleaning on 2030-01-07\nthe first one\nAnn Example\n+1 415 555 0100\n";

describe("./parley chat", () => {
  test("talks with an agent: --json prints one object a turn, plain text shows words and tools", async () => {
    const json = await run(["chat", "Demo clinic", "--json"], { folder, env, input: BOOKING });
    expect(json).toMatchObject({ code: 0, stderr: "" });
    const turns = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(turns).toHaveLength(5);
    expect(turns[0].text).toContain("Demo Clinic");
    expect(turns.every((turn) => Number.isInteger(turn.ms) && Array.isArray(turn.tool_calls))).toBe(true);
    expect(turns[1].tool_calls[0]).toMatchObject({ tool_name: "find_slots", tool_error: null });
    expect(turns.at(-1).text).toMatch(/confirmation number/i);
    expect(turns[1].trace.map(({ category }: { category: string }) => category)).toEqual(
      expect.arrayContaining(["llm", "http", "tool", "turn"]),
    );

    const plain = await run(["chat", "1"], { folder, env, input: "When are you open?\n" });
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(plain.stdout).toMatch(/^Demo clinic \(agent 1\)/);
    expect(plain.stdout).toMatch(/you › When are you open\?\n[\s\S]*agent › We are open Monday to Friday/);
    expect(plain.stdout).toMatch(/\nSession \d+: http:\/\/127\.0\.0\.1:\d+\/console\/sessions\/\d+\n$/);
    expect(plain.stdout).toMatch(/^ {2}model \S+: .*answers {2}\d+ ms\n {2}turn \d+ ms: lease /m);

    const bare = await run(["chat", "1", "--no-trace"], { folder, env, input: "When are you open?\n" });
    expect(bare.stdout).toContain("agent › We are open Monday to Friday");
    expect(bare.stdout).not.toMatch(/^ {2}(model|turn) /m);

    const unknown = await run(["chat", "Nobody"], { folder, env });
    expect(unknown).toMatchObject({
      code: 1,
      stderr: 'parley: There is no agent Nobody. There is "Demo clinic", "Demo reminder".\n',
    });
  });

  test("says so when nothing, or something else, answers, or nobody is named", async () => {
    const stopped = await run(["chat", "1"], { folder, env: { PORT: "1" } });
    expect(stopped).toMatchObject({
      code: 1,
      stderr:
        "parley: Parley does not answer at http://127.0.0.1:1: bad port. Start it with ./parley start, or set PORT or PUBLIC_URL to where it is.\n",
    });
    const other = { PORT: await otherProgram(200) };
    expect((await run(["chat", "1"], { folder, env: other })).stderr).toMatch(
      /^parley: What answers at \S+ is not Parley/,
    );
    expect((await run(["chat"], { folder })).stderr).toMatch(/^parley: Name an agent/);
    expect((await run(["chat", "1"], { folder: newFolder() })).stderr).toMatch(
      /^parley: There is no Parley in/,
    );
  });

  test("what the API refuses is said in its words alone, without operations and statuses", async () => {
    const { code, stderr } = await run(["chat", "1", "--channel", "fax"], { folder, env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^parley: channel: Input should be 'chat', .+\n$/);
  });

  test("with another installation's key is told which settings name the right one", async () => {
    const SECRET_KEY = "the key of some other installation here";
    const { code, stderr } = await run(["chat", "1"], { folder, env: { ...env, SECRET_KEY } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^parley: The Parley at \S+ does not know this token\. Set DATA_DIR/);
  });
});

test("./parley sign-in-link prints a link that works, and none with a key that is not the program's; one that is not asked has its link", async () => {
  const made = await run(["sign-in-link"], { folder, env });
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const [link = ""] = /http\S+$/m.exec(made.stdout) ?? [];
  const { origin, searchParams } = new URL(link);
  const body = { code: searchParams.get("code"), password: "correct horse battery" };
  expect((await send("POST", `${origin}/api/console/one-time-code`, body)).status).toBe(200);

  const SECRET_KEY = "the key of some other installation here";
  expect(await run(["sign-in-link"], { folder, env: { ...env, SECRET_KEY } })).toEqual({
    code: 1,
    stdout: "",
    stderr: `parley: SECRET_KEY is not the secret key of the Parley at ${origin}, so a link made with it would not work. Set DATA_DIR (or SECRET_KEY), and PORT or PUBLIC_URL, as it was started with.\n`,
  });
  for (const PORT of [await otherProgram(401), "1"]) {
    const alone = await run(["sign-in-link"], { folder, env: { PORT } });
    expect(alone).toMatchObject({ code: 0, stdout: expect.stringContaining("/sign-in?code=recovery-") });
    expect(alone.stderr).toMatch(
      /^parley: Parley does not answer at \S+ from here: .+ The link works while it runs\.\n$/,
    );
  }
});

test("./parley experiments says that a control is missing, and what to do, where no version is live", async () => {
  const typed = ["experiments", "start", "Demo clinic", "--split", "1=75,2=25", "--ramp", "50,100"];
  expect(await run(typed, { folder, env })).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'parley: No version of Demo clinic is live, so there is no control. Make one live first: in the console under "All versions", or with ./parley publish.\n',
  });
});

describe("./parley doctor", () => {
  const CHECKS = [
    "runtime",
    "port",
    "data",
    "secret key",
    "database",
    "models",
    "mail",
    "voice",
    "clock",
    "public url",
  ];

  test("finds nothing wrong with an empty folder, nor with a program that runs", async () => {
    const empty = await run(["doctor", "--json"], { folder: newFolder() });
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    const findings = JSON.parse(empty.stdout) as { check: string; status: string; message: string }[];
    expect(findings.map(({ check }) => check)).toEqual(CHECKS);
    expect(findings.every(({ status }) => status === "ok")).toBe(true);

    const text = await run(["doctor"], { folder, env });
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^ok +port +Parley 0\.1\.0 is running on 127\.0\.0\.1:\d+$/m);
    expect(text.stdout.trimEnd().split("\n")).toHaveLength(CHECKS.length);
  });

  test("ends with code 1 and says what to do about a taken port, a refused key and faulty settings", async () => {
    const PORT = await otherProgram(401);
    const env = { PORT, OPENAI_API_KEY: "sk-wrong", OPENAI_BASE_URL: `http://127.0.0.1:${PORT}/v1` };
    const { code, stdout } = await run(["doctor"], { folder: newFolder(), env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM +port +Port \d+ is taken by another program\. Stop it, or set PORT/m);
    expect(stdout).toMatch(
      /^PROBLEM +openai +the key is refused \(401\)\. Set OPENAI_API_KEY to a good one\.$/m,
    );
    expect(stdout).not.toContain("sk-wrong");
    const nobody = { OPENAI_API_KEY: "sk-wrong", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    expect((await run(["doctor"], { folder: newFolder(), env: nobody })).stdout).toMatch(
      /^PROBLEM +openai +127\.0\.0\.1:1 can't be reached: .+\. Check the network, or the address that OPENAI_BASE_URL names\.$/m,
    );

    const faulty = await run(["doctor", "--json"], {
      folder: newFolder(),
      env: { PORT: "x", LOG_LEVEL: "x" },
    });
    expect(faulty.code).toBe(1);
    expect(JSON.parse(faulty.stdout)).toMatchObject([
      { check: "settings", status: "problem" },
      { check: "settings", status: "problem" },
    ]);
  });
});

test("./parley migrate brings a database up to date and leaves nothing running", async () => {
  const fresh = newFolder();
  const migrated = { code: 0, stdout: "The database is up to date.\n", stderr: "" };
  expect(await run(["migrate"], { folder: fresh })).toEqual(migrated);
  // It told no secrets, so the first start still does.
  expect((await parley(["start"], { folder: fresh }).ready()).token).toMatch(/^parley_/);
});

test("help and version are printed", async () => {
  for (const args of [[], ["help"], ["--help"], ["help", "--help"]]) {
    const { code, stdout } = await run(args, { folder: newFolder() });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Parley \S+: a self-hosted/),
    });
  }
  expect(await run(["--version"], { folder: newFolder() })).toEqual({
    code: 0,
    stdout: "0.1.0\n",
    stderr: "",
  });
});
