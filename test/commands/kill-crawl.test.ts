import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRandom } from "../harness/fuzz/random.ts";
import { createPeer } from "../harness/peer.ts";
import { rounds, SEED } from "../harness/seed.ts";
import { parley, send, usedFolder } from "./program.ts";

const KILLS = rounds(2, 10);
const PAGES = 40;
const random = createRandom(SEED);

test(`kill -9 during a crawl: it goes on from where it was, and no page is stored or searched twice (seed ${SEED})`, async () => {
  const site = await createPeer();
  site.respond(({ path }, response) => {
    if (path === "/robots.txt") return response.writeHead(404).end();
    const links = Array.from({ length: PAGES }, (_, n) => `<a href="/${n || ""}">${n}</a>`).join(" ");
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>Page</title><p>The page ${path} has a word of its own.</p><nav>${links}</nav>`);
  });
  const { folder, greeting } = await usedFolder();
  const settings = { EGRESS_ALLOW: "127.0.0.1", CRAWL_PAUSE_MS: "60" };
  let program = parley(["start"], { folder, env: settings });
  const { url } = await program.ready();
  const env = { ...settings, PORT: new URL(url).port };
  const headers = { "service-api-key": greeting.token ?? "" };
  const api = async (method: string, path: string, body?: object) => {
    const answer = await send(method, `${url}/api/v1${path}`, body, headers);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const { id } = await api("POST", "/data_sources/", { name: "site", chunk: false, text: "" });
  const path = `/data_sources/${id}`;
  await api("PUT", `${path}/crawl`, { start_url: `${site.url}/` });
  for (let kill = 0; kill < KILLS; kill++) {
    // A job of its own for each: one that a process dies on twice is set aside for five minutes.
    const before = site.requests.length;
    while (site.requests.length < before + 12) await sleep(20);
    await sleep(random.int(150));
    await program.end("SIGKILL");
    program = parley(["start"], { folder, env });
    await program.ready();
  }
  while ((await api("GET", `${path}/crawl`)).status === "running") await sleep(200);
  expect(await api("GET", `${path}/crawl`)).toMatchObject({ status: "finished", pages_read: PAGES });

  const names = (await api("GET", `${path}/documents/?limit=1000`)).items.map(
    ({ name }: { name: string }) => name,
  );
  expect(names).toHaveLength(PAGES);
  expect(new Set(names).size).toBe(PAGES);
  const { results } = await api("POST", `${path}/search`, { question: "?" });
  expect(new Set(results.map(({ text }: { text: string }) => text)).size).toBe(PAGES);
  expect(results).toHaveLength(PAGES);
  // Each kill costs the one page that was on its way.
  const pages = site.requests.filter((request) => request.path !== "/robots.txt");
  expect(pages.length).toBeLessThanOrEqual(PAGES + KILLS);
});
