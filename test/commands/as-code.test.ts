import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { freePort } from "../harness/free-port.ts";
import { newFolder } from "./program.ts";
import { typedHere } from "./typed-here.ts";

let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  app = await createTestApp();
  env = { PUBLIC_URL: await app.listen(), PARLEY_API_TOKEN: app.token };
});

test("what the terminal says is exported, planned, applied and looked at for drift, with the exit codes of the guide", async () => {
  await app.send("POST", "/api/v1/services/", { name: "Calendar", description: "Before" });
  const folder = newFolder();
  const typed = (...args: string[]) => typedHere(args, { folder, env });
  expect(await typed("export", "clinic")).toEqual({
    code: 0,
    stdout: "clinic: 1 record written.\n",
    stderr: "",
  });
  expect(await typed("drift", "clinic")).toMatchObject({ code: 0 });
  const file = path.join(folder, "clinic/services/calendar.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("Before", "After"));
  expect(await typed("drift", "clinic")).toMatchObject({ code: 1 });
  const planned = await typed("plan", "clinic", "--json");
  const { fingerprint, steps } = JSON.parse(planned.stdout);
  expect(steps).toMatchObject([{ action: "update", kind: "services", name: "Calendar" }]);
  expect(await typed("apply", "clinic", "--expect", "another")).toMatchObject({ code: 2 });
  expect(JSON.parse((await typed("apply", "clinic", `--expect=${fingerprint}`, "--json")).stdout)).toEqual({
    done: ["~ services/Calendar (services/calendar.yaml)"],
    failed: null,
    left: [],
  });
  expect(await typed("drift", "clinic")).toMatchObject({ code: 0 });
});

test("what is typed wrongly is told, and nothing is done", async () => {
  const folder = newFolder();
  const typed = (...args: string[]) => typedHere(args, { folder, env });
  expect(await typed("plan")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^parley: Name the folder: \.\/parley plan clinic\n\n {2}\.\/parley plan <folder> /,
    ),
  });
  expect(await typed("plan", ".", "--env")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^parley: --env needs a value\.\n\n {2}\.\/parley plan <folder> /),
  });
  expect((await typed("plan", ".", "--env", "live")).stderr).toContain(
    "environments/live.yaml: There is no such file",
  );
  expect((await typed("apply", ".", "--replace")).stderr).toContain('"apply" knows no --replace');
  expect((await typed("drift", ".")).stderr).toContain("Make one with ./parley export.");
  writeFileSync(path.join(folder, "file"), "");
  expect(await typed("export", "file/clinic")).toEqual({
    code: 1,
    stdout: "",
    stderr: "parley: file/clinic can't be written: a part of its path is a file. Name another one.\n",
  });
});

test("where nothing answers, or the token is unknown, it says what to do, for an environment of its own, too", async () => {
  const folder = newFolder();
  const typed = (args: string[], own = env) => typedHere(args, { folder, env: own });
  await typed(["export", "clinic"]);
  const nobody = `http://127.0.0.1:${await freePort()}`;
  expect((await typed(["plan", "clinic"], { ...env, PUBLIC_URL: nobody })).stderr).toMatch(
    /refused the connection\. Start it with \.\/parley start, or set PORT or PUBLIC_URL to where it is\.\n$/,
  );
  expect(await typed(["drift", "clinic"], { ...env, PARLEY_API_TOKEN: "another" })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /does not know this token\. Set DATA_DIR \(or SECRET_KEY\) as it was started with, or PARLEY_API_TOKEN\.\n$/,
    ),
  });
  mkdirSync(path.join(folder, "clinic/environments"), { recursive: true });
  const named = (url = "") =>
    writeFileSync(path.join(folder, "clinic/environments/live.yaml"), `url: ${url}\ntoken: another\n`);
  named(nobody);
  expect((await typed(["plan", "clinic", "--env", "live"])).stderr).toMatch(
    /refused the connection\. Start it, or correct the url in environments\/live\.yaml\.\n$/,
  );
  named(env.PUBLIC_URL);
  expect((await typed(["plan", "clinic", "--env", "live"])).stderr).toMatch(
    /does not know this token\. Correct the token in environments\/live\.yaml\.\n$/,
  );
});
