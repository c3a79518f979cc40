import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  newFolder,
  otherProgram,
  parley,
  postgresOf,
  processesIn,
  run,
  send,
  usedFolder,
} from "./program.ts";
import { typedHere } from "./typed-here.ts";

test("a second program on one data directory is told who runs there, and disturbs nobody", async () => {
  const { folder } = await usedFolder();
  const first = parley(["start"], { folder });
  const { url } = await first.ready();
  for (const command of ["start", "migrate"]) {
    expect(await run([command], { folder })).toEqual({
      code: 1,
      stdout: "",
      stderr: `parley: Another Parley is already running on ${postgresOf(folder)} (pid ${first.child.pid}). Stop it, or set DATA_DIR to another folder.\n`,
    });
  }
  const doctor = await typedHere(["doctor"], { folder, env: { PORT: "0" } });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/^PROBLEM +database +Another Parley is already running on /m);
  expect((await send("GET", `${url}/readyz`)).status).toBe(200);
});

test("an embedded database of another PostgreSQL, or without its key, is found by the doctor, too", async () => {
  const { folder } = await usedFolder();
  const doctor = async () => (await typedHere(["doctor"], { folder, env: { PORT: "0" } })).stdout;
  expect(await doctor()).toMatch(/^ok +database +embedded PostgreSQL \d+$/m);
  writeFileSync(path.join(postgresOf(folder), "PG_VERSION"), "14\n");
  expect(await doctor()).toMatch(
    /^PROBLEM +database +The database in \S+ was made by PostgreSQL 14, this Parley/m,
  );
  rmSync(path.join(folder, "data/secret.key"));
  expect(await doctor()).toMatch(/^PROBLEM +secret key +\S+secret\.key is missing: it is the key that this/m);
});

describe("an address or a certificate that can't be used is told before anything is made", () => {
  const start = async (env: Record<string, string>) => {
    const folder = newFolder();
    const ended = await typedHere(["start"], { folder, env });
    expect(readdirSync(folder)).toEqual([]);
    return ended;
  };

  test("a port that another program has", async () => {
    const port = await otherProgram(200);
    expect(await start({ PORT: port })).toMatchObject({
      code: 1,
      stderr: `parley: Port ${port} is taken by another program. Stop it, or set PORT to a free one.\n`,
    });
  });

  test("a port for metrics and docs that another program has, or an address that the machine has not", async () => {
    const port = await otherProgram(200);
    expect(await start({ PORT: "0", INTERNAL_LISTEN: port })).toMatchObject({
      code: 1,
      stderr: `parley: Port ${port} is taken by another program. Stop it, or set INTERNAL_LISTEN to a free one.\n`,
    });
    expect(await start({ PORT: "0", INTERNAL_LISTEN: "192.0.2.1:9090" })).toMatchObject({
      code: 1,
      stderr:
        "parley: INTERNAL_LISTEN 192.0.2.1 is no address of this machine. Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its networks.\n",
    });
    const doctor = await typedHere(["doctor"], {
      folder: newFolder(),
      env: { PORT: "0", INTERNAL_LISTEN: port },
    });
    expect(doctor.stdout).toMatch(
      /^PROBLEM +port +Port \d+ is taken by another program\. .+ INTERNAL_LISTEN/m,
    );
  });

  test("a port for mails that another program has", async () => {
    const MAIL_PORT = await otherProgram(200);
    expect(await start({ PORT: "0", MAIL_PORT })).toMatchObject({
      code: 1,
      stderr: `parley: Port ${MAIL_PORT} is taken by another program. Stop it, or set MAIL_PORT to a free one.\n`,
    });
  });

  test("a certificate for mails that is none", async () => {
    const pem = path.join(newFolder(), "mail.pem");
    writeFileSync(pem, "no certificate");
    const env = { PORT: "0", MAIL_PORT: "0", MAIL_TLS_CERT: pem, MAIL_TLS_KEY: pem };
    expect(await start(env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^parley: MAIL_TLS_CERT \(\S+\) and MAIL_TLS_KEY \(\S+\) can't be used: .+\. They are the PEM files of .+\.\n$/,
      ),
    });
    const doctor = await typedHere(["doctor"], { folder: newFolder(), env });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^PROBLEM +mail in +MAIL_TLS_CERT \(\S+\) and MAIL_TLS_KEY/m);
  });

  test("simulated people whose file is not there", async () => {
    const env = { PORT: "0", SIMULATOR_SCENARIO: path.join(newFolder(), "people.json") };
    const said = /SIMULATOR_SCENARIO: \S+ can't be read: ENOENT/;
    expect(await start(env)).toMatchObject({ code: 1, stderr: expect.stringMatching(said) });
    const doctor = await typedHere(["doctor"], { folder: newFolder(), env });
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(said) });
  });

  test("a model for speech whose folder is not there, or holds none", async () => {
    const [gone, empty] = [path.join(newFolder(), "gone"), newFolder()];
    const env = { PORT: "0", SPEECH_MODELS: `en=${gone},es=${empty}` };
    expect(await start(env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^parley: SPEECH_MODELS: \S+gone can't be read: ENOENT.+ \S+ holds no model that is known: .+\n$/,
      ),
    });
  });

  test.each(["192.0.2.1", "no-such-host.invalid"])("HOST %s", async (host) => {
    expect(await start({ HOST: host })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^parley: HOST \S+ is no address of this machine\. Use 127\.0\.0\.1/),
    });
  });
});

test("all faults of the configuration are told at once, each with its fix, and nothing is made", async () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, ".env"), "LOG_LEVEL=loud\nSECRET_KEY=short\n");
  const env = { LOG_LEVEL: "", PORT: "eighty", PUBLIC_URL: "parley.example.com" };
  const { code, stderr } = await typedHere(["start"], { folder, env: { ...env, LOG_LEVEL: "loud" } });
  expect(code).toBe(1);
  expect(stderr.split("\n")).toEqual([
    "parley: The configuration has 4 faults:",
    expect.stringContaining('PORT is "eighty"; use a whole number'),
    expect.stringContaining('PUBLIC_URL is "parley.example.com", not a URL starting with'),
    expect.stringContaining('LOG_LEVEL is "loud"; use one of trace'),
    expect.stringContaining("SECRET_KEY has 5 characters; use 32 or more"),
    "",
  ]);
  expect(readdirSync(folder)).toEqual([".env"]);
});

test("a file .env that an editor on Windows saved is read from its first line", async () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, ".env"), "\ufeffDATABASE_URL=mysql://db/parley\r\nMETRICS=some\r\n");
  const { code, stderr } = await typedHere(["start"], { folder });
  expect(code).toBe(1);
  expect(stderr).toMatch(/DATABASE_URL is "mysql:/);
  expect(stderr).toMatch(/METRICS is "some"/);
});

test("a file .env that can't be read is told with the system's own reason", async () => {
  const folder = newFolder();
  mkdirSync(path.join(folder, ".env"));
  const { code, stderr } = await typedHere(["start"], { folder });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/The file \.env can't be read \(EISDIR: .+\)\. Mend or remove it\.\n$/),
  });
});

test("the doctor names lines of .env that set nothing though they look like it, and lets others be", async () => {
  const folder = newFolder();
  writeFileSync(
    path.join(folder, ".env"),
    "DATA_DIRR=elsewhere\nPORT = 0\nLOG_LEVEL: warn\nHOST 0.0.0.0\nCRM_TOKEN=secret\n",
  );
  const { code, stdout } = await typedHere(["doctor"], { folder });
  expect(code).toBe(0);
  expect(stdout.match(/^warning .*/gm)).toEqual([
    'warning  settings       The file .env sets DATA_DIRR, which is no setting; "DATA_DIR" may be meant.',
    'warning  settings       The file .env names LOG_LEVEL without "="; write LOG_LEVEL=… instead.',
    'warning  settings       The file .env names HOST without "="; write HOST=… instead.',
  ]);
});

test("a data directory that can't be made is told", async () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "data"), "");
  const { code, stderr } = await typedHere(["start"], { folder });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `parley: The data directory ${folder}/data can't be made (EEXIST). Set DATA_DIR to a folder this user may write to.\n`,
  });
});

test.runIf(process.platform === "linux")("one that takes no file is told", async () => {
  const { code, stderr } = await typedHere(["start"], { folder: newFolder(), env: { DATA_DIR: "/proc" } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "parley: /proc/secret.key can't be written (ENOENT). Set DATA_DIR to a folder this user may write to, on a disk with room.\n",
  });
});

test("the doctor looks whether one that is not there can be made", async () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "file"), "");
  const { code, stdout } = await typedHere(["doctor"], { folder, env: { DATA_DIR: "file/below/data" } });
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringContaining(
      `${folder}/file is no folder this user may write to. Set DATA_DIR to one.`,
    ),
  });
});

test.runIf(process.platform === "linux")("one below a folder that takes none is told, too", async () => {
  const { code, stderr } = await typedHere(["start"], {
    folder: newFolder(),
    env: { DATA_DIR: "/proc/parley" },
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `parley: The data directory /proc/parley can't be made (ENOENT). Set DATA_DIR to a folder this user may write to.\n`,
  });
});

test("what a pipeline runs never takes what could not be done for a failed test or a difference", async () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "suite.yaml"), "name: Opening hours\nagent: Demo clinic\ncases: []\n");
  const commands = [
    ["evaluate", "suite.yaml"],
    ["replay", "Demo clinic"],
    ["publish", "Demo clinic"],
    ["experiments", "show", "7"],
    ["plan", "clinic"],
    ["drift", "clinic"],
    ["apply", "clinic"],
    ["verify-audit"],
  ];
  for (const command of commands)
    for (const env of [{}, { PORT: "eighty" }] as Record<string, string>[]) {
      const { code, stderr } = await typedHere(command, { folder, env });
      expect({ command, code, stderr }).toEqual({
        command,
        code: 2,
        stderr: expect.stringMatching(/^parley: /),
      });
    }
});

test("a key that can't be read is told by every command that needs it, and is not taken for none", async () => {
  const folder = newFolder();
  mkdirSync(path.join(folder, "data", "secret.key"), { recursive: true });
  const told = /secret\.key can't be read \(EISDIR\)\. Start Parley as its owner, or set SECRET_KEY\.$/m;
  for (const command of [["start"], ["chat", "1"]]) {
    const { code, stderr } = await typedHere(command, { folder });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(told) });
  }
  const { code, stdout } = await typedHere(["doctor"], { folder });
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(told) });
  expect(stdout).toMatch(/^PROBLEM +secret key /m);
});

describe("a key that is not the one the secrets were sealed with", () => {
  test("is refused at the start, with the way out, and leaves no database server", async () => {
    const { folder } = await usedFolder();
    const env = { SECRET_KEY: "another key that is long enough to be one" };
    const { code, stderr } = await run(["start"], { folder, env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^parley: SECRET_KEY is not the key that this database's secrets were sealed with\. Set SECRET_KEY to that key, or put back/,
      ),
    });
    expect(processesIn(postgresOf(folder))).toEqual([]);
    await parley(["start"], { folder }).ready();
  });

  test("is not made up in place of one that was lost; put back, it works again", async () => {
    const { folder } = await usedFolder();
    const file = path.join(folder, "data", "secret.key");
    const key = readFileSync(file);
    rmSync(file);
    const { code, stderr } = await run(["start"], { folder });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("secret.key is missing") });
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, key);
    await parley(["start"], { folder }).ready();
  });

  test("may be the file's own, handed over in SECRET_KEY", async () => {
    const { folder } = await usedFolder();
    const file = path.join(folder, "data", "secret.key");
    const SECRET_KEY = readFileSync(file, "utf8").trim();
    rmSync(file);
    await parley(["start"], { folder, env: { SECRET_KEY } }).ready();
    expect(existsSync(file)).toBe(false);
  });
});

describe("a command line that is not understood ends with code 2, the reason, and what that command takes", () => {
  test.each([
    [["fly"], 'There is no command "fly".', ""],
    [["constructor"], 'There is no command "constructor".', ""],
    [["strat"], 'There is no command "strat"; "start" may be meant.', ""],
    [
      ["--port", "9000"],
      "Name a command before --port. Settings such as PORT come from the environment.",
      "",
    ],
    [["help", "fly"], 'There is no command "fly".', ""],
    [["chat", "1", "--jsn"], '"chat" knows no --jsn; "--json" may be meant.', "./parley chat <agent>"],
    [["start", "--port", "9000"], '"start" knows no --port.', "./parley start "],
    [["chat", "Demo", "clinic"], `"chat" can't use "clinic".`, "./parley chat <agent>"],
    [["chat"], "Name an agent, by name or number", "./parley chat <agent>"],
    [["chat", "1", "--at"], "--at needs a value.", "./parley chat <agent>"],
    [["chat", "1", "--at", "soon"], "Write date and time as", "./parley chat <agent>"],
    [["call", "1"], "Name an agent and what to say", "./parley call <agent>"],
    [["call", "1", "2", "--say", "hi"], `"call" can't use "2".`, "./parley call <agent>"],
    [["evaluate", "a.yaml", "--repeat"], "--repeat needs a value.", "./parley evaluate <suite.yaml>"],
    [["listen"], "Say where to", "./parley listen --forward-to <url>"],
    [["listen", "--forward-to", "here"], "--forward-to is an address", "./parley listen --forward-to <url>"],
    [["doctor", "now"], `"doctor" can't use "now".`, "./parley doctor "],
    [["simulate", "--seed=x"], "A seed is a number", "./parley simulate "],
    [["simulate", "--agent"], "--agent needs a value.", "./parley simulate "],
    [["backup"], "Name the file to write", "./parley backup <file>"],
  ])("%j", async (args, reason, entry) => {
    const { code, stdout, stderr } = await typedHere(args, { folder: newFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.startsWith(`parley: ${reason}`)).toBe(true);
    expect(stderr).toContain(entry);
    expect(stderr.endsWith("All commands: ./parley help\n")).toBe(true);
    // The reason stands on the screen: help of all commands has more lines than a terminal.
    expect(stderr.split("\n").length).toBeLessThan(20);
  });

  test("and so the shell sees it", async () => {
    const typed = { folder: newFolder() };
    const seen = await run(["fly"], typed);
    expect(seen).toEqual(await typedHere(["fly"], typed));
    expect(seen.code).toBe(2);
  });
});

test("help of a command is what help says of it, and only that", async () => {
  const folder = newFolder();
  const { stdout: all } = await typedHere(["help"], { folder });
  for (const name of new Set(all.match(/(?<=^ {2}\.\/parley )[a-z-]+/gm))) {
    // The shell runs these itself.
    if (name === "test") continue;
    const { code, stdout } = await typedHere([name, "--help"], { folder });
    expect(code).toBe(0);
    const entry = stdout.replace("\n\nAll commands: ./parley help\n", "");
    expect(entry.startsWith(`  ./parley ${name} `)).toBe(true);
    expect(entry.match(/^ {2}\.\/parley /gm)).toHaveLength(1);
    expect(all).toContain(`${entry}\n`);
    expect(await typedHere(["help", name], { folder })).toEqual({ code: 0, stdout, stderr: "" });
  }
});

test("a start that is refused is seen by the shell as it is told here", async () => {
  const typed = { folder: newFolder(), env: { PORT: "eighty" } };
  const seen = await run(["start"], typed);
  expect(seen).toEqual(await typedHere(["start"], typed));
  expect(seen).toMatchObject({ code: 1, stderr: expect.stringContaining('PORT is "eighty"') });
});
