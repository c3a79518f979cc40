import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
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
