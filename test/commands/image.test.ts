import { execFile } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { writeImage } from "../../scripts/image.ts";
import { SETTINGS } from "../../src/settings.ts";
import { newFolder, parleyIn, send } from "./program.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(path.join(ROOT, name), "utf8");

test("an image holds what a start needs and nothing that only builds: it starts, and writes nothing into its own folder", async () => {
  const home = newFolder();
  // On the disk that the packages are on, so that they can be links.
  mkdirSync(path.join(ROOT, "dist"), { recursive: true });
  const image = path.join(mkdtempSync(path.join(ROOT, "dist/image-")), "parley");
  onTestFinished(() => rmSync(path.dirname(image), { recursive: true }));
  await writeImage(image, { linked: true });
  for (const name of ["vite", "react", "@mantine", "recharts", "typescript", "vitest", "@biomejs"]) {
    expect(existsSync(path.join(image, "node_modules", name)), name).toBe(false);
  }
  // The image may have 400 MB, of which Debian takes 81 and Node.js 112 (scripts/prove-image.sh counts them, too).
  expect(megabytesOf(image, (name) => !name.startsWith("node_modules/node-"))).toBeLessThan(207);
  expect(await unloadable(image)).toEqual([]);
  const before = readdirSync(image, { recursive: true }).length;

  const program = parleyIn(path.join(image, "src/main.ts"), ["start"], { folder: home });
  const { url } = await program.ready();
  expect((await send("GET", `${url}/readyz`)).status).toBe(200);
  expect((await send("GET", `${url}/chat/demo-clinic`)).body).toContain("<html");
  // Ready before it has looked whether the console fits its sources.
  await expect.poll(async () => (await send("GET", `${url}/console/`)).body).toContain("<script");
  expect(program.stdout()).not.toContain("bundled once");
  expect(await program.end("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(readdirSync(image, { recursive: true }).length).toBe(before);
});

/** Packages that code of the server asks for and that don't load there, by `import` or by `require` as the code has it. */
async function unloadable(image: string): Promise<string[]> {
  const asked = new Set<string>();
  for (const name of readdirSync(path.join(image, "src"), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || OF_TESTS.test(name)) continue;
    const text = readFileSync(path.join(image, "src", name), "utf8");
    for (const [, how = "", asks = ""] of text.matchAll(ASKS))
      if (!asks.startsWith("node:")) asked.add(`${how.includes("require") ? "require" : "import"} ${asks}`);
  }
  expect(asked.size).toBeGreaterThan(40);
  const program = path.join(image, "src/asks.mjs");
  writeFileSync(program, LOADS);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...asked]);
    return JSON.parse(stdout);
  } finally {
    rmSync(program);
  }
}
const OF_TESTS = /\.trial\.ts$|egress-stub\.ts$|console-bundle\.ts$/;
const ASKS =
  /(^import (?!type)[^"]*?from |^export [^"]*?from |(?<!typeof )\bimport\(|\brequire\()"([^".][^"]*)"/gm;
const LOADS = `
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const missing = [];
for (const asks of process.argv.slice(2)) {
  const [how, name] = asks.split(" ");
  try {
    if (how === "require") require(name);
    else await import(name);
  } catch (error) {
    missing.push(asks + ": " + error.message);
  }
}
process.stdout.write(JSON.stringify(missing), () => process.exit());
`;

/** What the files below a folder take on a disk. */
function megabytesOf(folder: string, isCounted: (name: string) => boolean): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isCounted);
  return files.reduce((sum, name) => sum + lstatSync(path.join(folder, name)).blocks * 512, 0) / 2 ** 20;
}

test("compose.yaml, the Dockerfile and the chart set only what is a setting, and mount the folder that holds the data", () => {
  const known = new Set([...SETTINGS.map(({ name }) => name), "NODE_COMPILE_CACHE"]);
  const { services } = parse(read("compose.yaml")) as {
    services: { parley: { environment: Record<string, string>; volumes: string[] } };
  };
  const { environment, volumes } = services.parley;
  expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
  expect(volumes).toEqual(["files:/data"]);
  const inImage = [...(/^ENV (.+)$/m.exec(read("Dockerfile"))?.[1] ?? "").matchAll(/([A-Z_]+)=/g)];
  expect(inImage.map(([, name = ""]) => name).filter((name) => !known.has(name))).toEqual([]);
  expect(read("Dockerfile")).toContain("DATA_DIR=/data");
  const chart = read("deploy/helm/parley/templates/deployment.yaml");
  const inChart = [...chart.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name = ""]) => name);
  expect(inChart.length).toBeGreaterThan(0);
  expect(inChart.filter((name) => !known.has(name))).toEqual([]);
  expect(chart).toContain("mountPath: /data");
});
