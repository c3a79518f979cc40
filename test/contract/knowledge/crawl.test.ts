import type { ServerResponse } from "node:http";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import type { JobContext } from "../../../src/jobs/define-job.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { pdf } from "../../harness/documents.ts";
import { createPeer, type Peer, type PeerRequest } from "../../harness/peer.ts";

let app: TestApp;
let site: Peer;
beforeAll(async () => {
  app = await createTestApp({ CRAWL_PAUSE_MS: "0" });
  await migrateJobs(app.database.pool, silentLog);
  site = await createPeer();
});

/** What the site has at each path: HTML, or what it does. */
type Answering = (request: PeerRequest, response: ServerResponse) => void;
let pages: Record<string, string | Answering>;
beforeEach(() => {
  pages = {};
  site.requests.length = 0;
  site.respond((request, response) => {
    const page = pages[request.path];
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(page ?? "not here");
  });
});

const html = (title: string, words: string, ...links: string[]) =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${words}</p></main><nav>${links.map((to) => `<a href="${to}">${to}</a>`).join(" ")}</nav>`;

let counter = 0;
async function source() {
  const name = `site_${++counter}`;
  const { body } = await app.send("POST", "/api/v1/data_sources/", { name, chunk: false, text: "" });
  const path = `/api/v1/data_sources/${body.id}`;
  return { id: body.id as number, path, crawl: `${path}/crawl` };
}
const jobNamed = (name: string) => {
  const found = app.jobs.find(({ job }) => job.name === name);
  if (!found) throw new Error(`no job ${name}`);
  return found;
};
const context = ({ signal } = new AbortController()) =>
  ({ stopping: signal, abortSignal: signal }) as unknown as JobContext;
/** As the workers would, until the run has ended. */
async function work(id: number) {
  for (let jobs = 0; jobs < 20; jobs++) {
    await jobNamed("crawl-source").run({ data_source_id: id }, context());
    const { body } = await app.send("GET", `/api/v1/data_sources/${id}/crawl`);
    if (body.status !== "running") return body;
  }
  throw new Error("the crawl does not end");
}
const set = async (crawl: string, input: object = {}) => {
  const answer = await app.send("PUT", crawl, { start_url: `${site.url}/`, ...input });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const documents = async (path: string): Promise<string[]> =>
  (await app.send("GET", `${path}/documents/?limit=1000&order_by=name`)).body.items.map(
    ({ name }: { name: string }) => name.replace(site.url, ""),
  );
const statuses = async (crawl: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await app.send("GET", `${crawl}/pages/?limit=1000`)).body.items.map(
      ({ url, status, problem }: Record<string, string>) => [
        url?.replace(site.url, ""),
        problem === null ? status : `${status}: ${problem?.replaceAll(site.url, "")}`,
      ],
    ),
  );
const fetched = () => site.requests.map(({ path }) => path).filter((path) => path !== "/robots.txt");
const deny: Answering = (_, response) => response.writeHead(404).end();

describe("a web site that is read", () => {
  test("is followed by its links within its own address, each page once, and is searched by its words", async () => {
    pages["/"] = html(
      "Clinic",
      "Welcome.",
      "/hours",
      "/team#people",
      "/hours?utm_source=x",
      "mailto:a@b.example",
      "https://elsewhere.example/",
      "/photo.jpg",
    );
    pages["/hours"] = html("Hours", "We open at nine.", "/", "/team");
    pages["/team"] = html("Team", "Doctor Meyer leads the clinic.", "/hours", "/gone");
    const { id, path, crawl } = await source();
    expect(await set(crawl)).toMatchObject({
      start_url: `${site.url}/`,
      max_depth: 3,
      max_pages: 200,
      every_hours: null,
      status: "running",
      pages_waiting: 1,
    });
    expect(await work(id)).toMatchObject({
      status: "finished",
      problem: null,
      pages_read: 3,
      pages_skipped: 1,
      pages_failed: 0,
      pages_waiting: 0,
    });
    expect(await documents(path)).toEqual(["/", "/hours", "/team"]);
    expect(await statuses(crawl)).toEqual({
      "/": "read",
      "/hours": "read",
      "/team": "read",
      "/gone": "skipped: is not there (404)",
    });
    expect(fetched().toSorted()).toEqual(["/", "/gone", "/hours", "/team"]);
    expect(site.requests.every(({ headers }) => headers["user-agent"] === "Parley")).toBe(true);
    const { body } = await app.send("POST", `${path}/search`, { question: "?" });
    expect(body.results[1]).toEqual({
      data_source: expect.any(String),
      source: `${site.url}/hours, Hours`,
      text: "We open at nine.",
      score: 1,
    });
  });

  test("no deeper and no more pages than was said", async () => {
    pages["/"] = html("0", "zero", "/1", "/1b");
    pages["/1"] = html("1", "one", "/2");
    pages["/1b"] = html("1b", "one b");
    pages["/2"] = html("2", "two");
    const deep = await source();
    await set(deep.crawl, { max_depth: 1 });
    await work(deep.id);
    expect(await documents(deep.path)).toEqual(["/", "/1", "/1b"]);
    const few = await source();
    await set(few.crawl, { max_pages: 2 });
    await work(few.id);
    expect(await documents(few.path)).toEqual(["/", "/1"]);
    const alone = await source();
    await set(alone.crawl, { max_depth: 0 });
    await work(alone.id);
    expect(await documents(alone.path)).toEqual(["/"]);
  });

  test("and the same words once, under whichever addresses they stand, with what each of these leads to", async () => {
    pages["/"] = html("Start", "words", "/hours", "/hours/", "/index.html", "/other", "/berlin", "/bonn");
    pages["/index.html"] = html("Start", "words", "/hours");
    pages["/berlin"] = "<title>Berlin</title><p>We open at eight.</p>";
    pages["/bonn"] = "<title>Bonn</title><p>We open at eight.</p>";
    pages["/hours"] = html("Hours", "We open at nine.");
    pages["/hours/"] = html("Hours", "We open at nine.", "/behind");
    pages["/other"] = html("Other", "We open at nine.");
    pages["/behind"] = html("Behind", "words");
    const { id, path, crawl } = await source();
    await set(crawl);
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 6, pages_skipped: 2 });
    expect(await documents(path)).toEqual(["/", "/behind", "/berlin", "/bonn", "/hours", "/other"]);
    expect((await statuses(crawl))["/hours/"]).toBe("skipped: has the same words as /hours");

    // What is only known from before says nothing: it goes with this run, and the words must not go with it.
    delete pages["/hours"];
    pages["/"] = html("Start", "words", "/hours/", "/other");
    await app.send("POST", `${crawl}/run`);
    await work(id);
    expect(await documents(path)).toEqual(["/", "/behind", "/hours/", "/other"]);
    pages["/hours/"] = html("Hours", "We open at ten.", "/behind");
    pages["/other"] = html("Hours", "We open at ten.");
    await app.send("POST", `${crawl}/run`);
    await work(id);
    expect(await documents(path)).toEqual(["/", "/behind", "/hours/"]);
  });

  test("and nothing that its robots.txt, a page or a link asks to leave alone", async () => {
    pages["/robots.txt"] = (_, response) =>
      response.end(
        "User-agent: *\nDisallow: /\n\nUser-agent: Parley\nDisallow: /private\nAllow: /private/open\n",
      );
    pages["/"] = html("Start", "words", "/private/a", "/private/open", "/noindex", "/nofollow").replace(
      "</nav>",
      '<a rel="nofollow" href="/asked">x</a></nav>',
    );
    pages["/private/open"] = html("Open", "words");
    pages["/noindex"] = `<meta name="robots" content="noindex">${html("No", "words", "/behind")}`;
    pages["/nofollow"] = `<meta name="robots" content="nofollow">${html("No", "words", "/hidden")}`;
    pages["/behind"] = html("Behind", "words");
    const { id, path, crawl } = await source();
    await set(crawl);
    await work(id);
    expect(await documents(path)).toEqual(["/", "/behind", "/nofollow", "/private/open"]);
    expect((await statuses(crawl))["/private/a"]).toBe("skipped: robots.txt asks not to read it");
    expect(fetched()).not.toContain("/private/a");
    expect(fetched()).not.toContain("/asked");
    expect(fetched()).not.toContain("/hidden");
  });

  test("where robots.txt can't be read, nothing is, and the crawl says why", async () => {
    pages["/robots.txt"] = (_, response) => response.writeHead(503).end();
    pages["/"] = html("Start", "words");
    const { id, crawl } = await source();
    await set(crawl);
    expect(await work(id)).toMatchObject({
      status: "failed",
      problem: expect.stringContaining("/robots.txt answered 503"),
    });
    expect(fetched()).toEqual([]);
  });

  test("its PDFs and texts too; what is no text, leads away or fails is told in words", async () => {
    pages["/"] = html("Start", "words", "/prices", "/data", "/scan", "/moved", "/away", "/broken");
    pages["/prices"] = (_, response) => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.end(pdf([[{ text: "Cleaning 95 EUR", y: 700 }]]));
    };
    pages["/scan"] = (_, response) => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.end(pdf([[]]));
    };
    pages["/data"] = (_, response) => response.writeHead(200, { "content-type": "image/png" }).end("x");
    pages["/moved"] = (_, response) => response.writeHead(301, { location: "/new" }).end();
    pages["/new"] = html("New", "words");
    pages["/away"] = (_, response) =>
      response.writeHead(302, { location: "https://elsewhere.example/" }).end();
    pages["/broken"] = (_, response) => response.writeHead(500).end();
    const { id, path, crawl } = await source();
    await set(crawl);
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 3, pages_failed: 1 });
    expect(await documents(path)).toEqual(["/", "/new", "/prices"]);
    expect(await statuses(crawl)).toMatchObject({
      "/data": "skipped: is no page but image/png",
      "/scan": expect.stringContaining("skipped: has no text: it is scanned pictures"),
      "/moved": "skipped: leads to /new",
      "/away": "skipped: leads to https://elsewhere.example/, out of the site",
      "/broken": "failed: answered 500",
    });
    const { body } = await app.send("POST", `${path}/search`, { question: "?" });
    expect(body.results).toContainEqual(
      expect.objectContaining({ source: `${site.url}/prices, page 1`, text: "Cleaning 95 EUR" }),
    );
  });

  test("nor a PDF or a page whose answer's header asks to leave it alone", async () => {
    const tagged =
      (tag: string, type: string, body: string | Buffer): Answering =>
      (_, response) => {
        response.writeHead(200, { "content-type": type, "x-robots-tag": tag }).end(body);
      };
    const prices = pdf([[{ text: "Cleaning 95 EUR", y: 700 }]]);
    pages["/"] = html("Start", "words", "/closed", "/open", "/page", "/leads", "/other");
    pages["/closed"] = tagged("noindex, nofollow", "application/pdf", prices);
    pages["/open"] = tagged("unavailable_after: 25 Jun 2030 15:00:00 PST", "application/pdf", prices);
    pages["/page"] = tagged("none", "text/html", html("No", "words", "/behind-page"));
    pages["/leads"] = tagged("parley: nofollow", "text/html", html("Leads", "words", "/behind-leads"));
    pages["/other"] = tagged("googlebot: noindex, nofollow", "text/html", html("Other", "words", "/behind"));
    for (const path of ["/behind-page", "/behind-leads", "/behind"]) pages[path] = html("Behind", "words");
    const { id, path, crawl } = await source();
    await set(crawl);
    await work(id);
    expect(await documents(path)).toEqual(["/", "/behind", "/leads", "/open", "/other"]);
  });

  test("only by the guarded way out", async () => {
    const guarded = await createTestApp({ CRAWL_PAUSE_MS: "0", EGRESS_ALLOW: "" });
    await migrateJobs(guarded.database.pool, silentLog);
    const { body } = await guarded.send("POST", "/api/v1/data_sources/", {
      name: "s",
      chunk: false,
      text: "",
    });
    const crawl = `/api/v1/data_sources/${body.id}/crawl`;
    await guarded.send("PUT", crawl, { start_url: `${site.url}/` });
    const job = guarded.jobs.find(({ job: { name } }) => name === "crawl-source");
    await job?.run({ data_source_id: body.id }, context());
    expect((await guarded.send("GET", crawl)).body).toMatchObject({
      status: "failed",
      problem: expect.any(String),
    });
    expect(site.requests).toEqual([]);
  });
});

describe("a site that is read again", () => {
  test("brings what is new, replaces what has changed and removes what is gone; the rest is not sent again", async () => {
    pages["/"] = html("Start", "words", "/same", "/changes", "/goes");
    const same: Answering = ({ headers }, response) => {
      if (headers["if-none-match"] === '"v1"') return response.writeHead(304).end();
      response
        .writeHead(200, { "content-type": "text/html", etag: '"v1"' })
        .end(html("Same", "stays", "/under"));
    };
    pages["/same"] = same;
    pages["/under"] = html("Under", "reached by a page that is not sent again");
    pages["/changes"] = html("Changes", "before");
    pages["/goes"] = html("Goes", "away");
    const { id, path, crawl } = await source();
    await set(crawl);
    await work(id);
    expect(await documents(path)).toEqual(["/", "/changes", "/goes", "/same", "/under"]);

    app.clock.advance(3_600_000);
    pages["/"] = html("Start", "words", "/same", "/changes", "/new");
    pages["/changes"] = html("Changes", "after");
    pages["/new"] = html("New", "page");
    delete pages["/goes"];
    expect((await app.send("POST", `${crawl}/run`)).body).toMatchObject({ status: "running" });
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 5 });
    expect(await documents(path)).toEqual(["/", "/changes", "/new", "/same", "/under"]);
    expect(await statuses(crawl)).toMatchObject({
      "/same": "unchanged",
      "/under": "unchanged",
      "/changes": "read",
    });
    const { body } = await app.send("POST", `${path}/search`, { question: "?" });
    const texts = body.results.map(({ text }: { text: string }) => text);
    expect(texts).toContain("after");
    expect(texts).not.toContain("before");
    expect(texts).not.toContain("away");
  });

  test("keeps what it knows of pages that can't be reached this time, and of those behind them", async () => {
    pages["/"] = html("Start", "words", "/hub");
    pages["/hub"] = html("Hub", "hub", "/leaf");
    pages["/leaf"] = html("Leaf", "leaf");
    const { id, path, crawl } = await source();
    await set(crawl);
    await work(id);
    pages["/hub"] = (_, response) => response.writeHead(503).end();
    await app.send("POST", `${crawl}/run`);
    expect(await work(id)).toMatchObject({ status: "finished", pages_failed: 1 });
    expect(await documents(path)).toEqual(["/", "/hub", "/leaf"]);
    pages["/hub"] = deny;
    await app.send("POST", `${crawl}/run`);
    await work(id);
    expect(await documents(path)).toEqual(["/"]);
  });

  test.each<[string, Answering, string]>([
    ["is gone", deny, "is not there (404)"],
    ["is broken", (_, response) => response.writeHead(500).end(), "answered 500"],
    [
      "leads to another site, as while it is mended",
      (_, response) => response.writeHead(302, { location: "https://elsewhere.example/" }).end(),
      "leads to https://elsewhere.example/, out of the site",
    ],
    [
      "leads out by a page of its own",
      ({ path }, response) =>
        response.writeHead(302, { location: path === "/" ? "/en" : "https://elsewhere.example/" }).end(),
      "leads to /en",
    ],
  ])("whose start page %s keeps what stood behind it, and the run has failed", async (_, now, words) => {
    pages["/"] = html("Start", "words", "/leaf");
    pages["/leaf"] = html("Leaf", "leaf");
    const { id, path, crawl } = await source();
    await set(crawl, { every_hours: 24 });
    await work(id);
    pages["/"] = now;
    pages["/en"] = now;
    await app.send("POST", `${crawl}/run`);
    const failed = await work(id);
    expect(failed).toMatchObject({ status: "failed", next_run_at: expect.any(String) });
    expect(failed.problem.replaceAll(site.url, "")).toBe(`Nothing was read: / ${words}`);
    expect(await documents(path)).toContain("/leaf");

    pages["/"] = html("Start", "words");
    await app.send("POST", `${crawl}/run`);
    expect(await work(id)).toMatchObject({ status: "finished", problem: null });
    expect(await documents(path)).toEqual(["/"]);
  });

  test("by itself when it is due, and not before", async () => {
    pages["/"] = html("Start", "before");
    const { id, path, crawl } = await source();
    await set(crawl, { every_hours: 24 });
    expect(await work(id)).toMatchObject({ status: "finished", next_run_at: expect.any(String) });
    pages["/"] = html("Start", "after");
    app.clock.advance(23 * 3_600_000);
    await jobNamed("crawl-due").run({}, context());
    expect((await app.send("GET", crawl)).body.status).toBe("finished");
    app.clock.advance(2 * 3_600_000);
    await jobNamed("crawl-due").run({}, context());
    expect((await app.send("GET", crawl)).body.status).toBe("running");
    await work(id);
    const { body } = await app.send("POST", `${path}/search`, { question: "?" });
    expect(body.results.map(({ text }: { text: string }) => text)).toEqual(["after"]);
  });
});

describe("a page that says when to come again", () => {
  const busy =
    (after: string): Answering =>
    (_, response) =>
      response.writeHead(429, { "retry-after": after, date: "Sat, 01 Jan 2028 00:00:00 GMT" }).end();
  const busyOnce = (after: string): Answering => {
    let asked = 0;
    return (request, response) =>
      asked++ === 0 ? busy(after)(request, response) : response.end(html("Busy", "words", "/behind"));
  };

  test.each(["0", "Sat, 01 Jan 2028 00:00:00 GMT"])("(%s) is asked once more then", async (after) => {
    pages["/"] = html("Start", "words", "/busy", "/always");
    pages["/busy"] = busyOnce(after);
    pages["/behind"] = html("Behind", "words");
    pages["/always"] = busy(after);
    const { id, path, crawl } = await source();
    await set(crawl);
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 3, pages_failed: 1 });
    expect(await documents(path)).toEqual(["/", "/behind", "/busy"]);
    expect(fetched().filter((path) => path === "/always")).toHaveLength(2);
  });

  test("in an hour fails for now, and the others are read", async () => {
    pages["/"] = html("Start", "words", "/busy", "/other");
    pages["/busy"] = busyOnce("3600");
    pages["/other"] = html("Other", "words");
    const { id, crawl } = await source();
    await set(crawl);
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 2, pages_failed: 1 });
    expect((await statuses(crawl))["/busy"]).toBe("failed: answered 429");
  });

  test("waits while its process stops: the page is read by the next job, in the same run", async () => {
    const stop = new AbortController();
    const answer = busyOnce("60");
    pages["/"] = (request, response) => {
      answer(request, response);
      response.on("close", () => stop.abort());
    };
    pages["/behind"] = html("Behind", "words");
    const { id, path, crawl } = await source();
    await set(crawl);
    const stopped = { ...context(), stopping: stop.signal };
    await jobNamed("crawl-source").run({ data_source_id: id }, stopped);
    expect((await app.send("GET", crawl)).body).toMatchObject({ status: "running", pages_waiting: 1 });
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 2 });
    expect(await documents(path)).toEqual(["/", "/behind"]);
  });
});

describe("a run", () => {
  const ring = (size: number) => {
    for (let n = 0; n < size; n++)
      pages[n === 0 ? "/" : `/${n}`] = html(
        `Page ${n}`,
        `words ${n}`,
        ...Array.from({ length: size }, (_, to) => `/${to || ""}`),
      );
  };

  test("that two jobs do at once stores each page once", async () => {
    ring(12);
    const { id, path, crawl } = await source();
    await set(crawl);
    await Promise.all([1, 2, 3].map(() => jobNamed("crawl-source").run({ data_source_id: id }, context())));
    await work(id);
    expect(await documents(path)).toHaveLength(12);
    expect((await app.send("GET", crawl)).body).toMatchObject({ pages_read: 12, pages_waiting: 0 });
  });

  test("that lost its job is taken up again, from where it came", async () => {
    ring(40);
    const { id, crawl } = await source();
    await set(crawl);
    await jobNamed("crawl-source").run({ data_source_id: id }, context());
    expect((await app.send("GET", crawl)).body).toMatchObject({ status: "running", pages_read: 10 });
    await app.database.pool.query("delete from graphile_worker._private_jobs");
    app.clock.advance(6 * 60_000);
    await jobNamed("crawl-due").run({}, context());
    const { rows } = await app.database.pool.query("select key from graphile_worker.jobs where key = $1", [
      `crawl-source:${id}`,
    ]);
    expect(rows).toHaveLength(1);
    site.requests.length = 0;
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 40 });
    expect(fetched()).toHaveLength(30);
  });

  test("is no failed one where its process stops while the site is asked what may be read: another job goes on", async () => {
    ring(2);
    const stop = new AbortController();
    pages["/robots.txt"] = () => stop.abort();
    const { id, crawl } = await source();
    await set(crawl);
    await app.database.pool.query("delete from graphile_worker._private_jobs");
    await jobNamed("crawl-source").run({ data_source_id: id }, context(stop));
    expect((await app.send("GET", crawl)).body).toMatchObject({ status: "running", problem: null });
    const { rows } = await app.database.pool.query("select key from graphile_worker.jobs where key = $1", [
      `crawl-source:${id}`,
    ]);
    expect(rows).toHaveLength(1);
    delete pages["/robots.txt"];
    expect(await work(id)).toMatchObject({ status: "finished", pages_read: 2 });
  });

  test("stops when it is told to, and keeps what was read; it is refused twice, and so is a second beside it", async () => {
    ring(30);
    const { id, path, crawl } = await source();
    await set(crawl);
    expect((await app.send("POST", `${crawl}/run`)).status).toBe(400);
    await jobNamed("crawl-source").run({ data_source_id: id }, context());
    expect((await app.send("POST", `${crawl}/stop`)).body).toMatchObject({ status: "stopped" });
    await jobNamed("crawl-source").run({ data_source_id: id }, context());
    expect(await documents(path)).toHaveLength(10);
    expect((await app.send("POST", `${crawl}/stop`)).status).toBe(400);
  });

  test.each<[string, (crawl: string) => Promise<unknown>]>([
    ["is stopped", (crawl) => app.send("POST", `${crawl}/stop`)],
    ["is gone", (crawl) => app.send("DELETE", crawl)],
    ["was begun anew at another address", (crawl) => set(crawl, { start_url: `${site.url}/other` })],
  ])("asks for nothing more once it %s, though its job is under way", async (_, change) => {
    ring(30);
    const { id, crawl } = await source();
    pages["/1"] = async (_, response) => {
      await change(crawl);
      response.writeHead(200, { "content-type": "text/html" }).end(html("1", "words"));
    };
    await set(crawl);
    await jobNamed("crawl-source").run({ data_source_id: id }, context());
    expect(fetched()).toEqual(["/", "/1"]);
  });

  test("is gone with its pages when the site is removed, or the source", async () => {
    ring(2);
    const one = await source();
    await set(one.crawl);
    await work(one.id);
    expect((await app.send("DELETE", one.crawl)).body).toEqual({ success: true });
    expect(await documents(one.path)).toEqual([]);
    expect((await app.send("GET", one.crawl)).status).toBe(404);
    const two = await source();
    await set(two.crawl);
    await jobNamed("crawl-source").run({ data_source_id: two.id }, context());
    expect((await app.send("DELETE", `${two.path}?reason=old`)).status).toBe(200);
    const { rows } = await app.database.pool.query(
      "select data_source_id from data_source_crawl_pages where data_source_id = $1",
      [two.id],
    );
    expect(rows).toEqual([]);
  });
});

test.each([
  ["no address", "not an address", 422],
  ["another scheme", "ftp://example.com/", 422],
  ["a password in it", "https://me:secret@example.com/", 422],
])("%s is refused at its place", async (_, start_url, status) => {
  const { crawl } = await source();
  const answer = await app.send("PUT", crawl, { start_url });
  expect(answer).toMatchObject({ status, body: { detail: [{ loc: ["body", "start_url"] }] } });
});

test("a neighbour's site is not there", async () => {
  pages["/"] = html("Start", "words");
  const { crawl } = await source();
  await set(crawl);
  const neighbour = await app.createNeighbour("crawls@example.org");
  for (const [method, url] of [
    ["GET", crawl],
    ["POST", `${crawl}/run`],
    ["POST", `${crawl}/stop`],
    ["DELETE", crawl],
    ["GET", `${crawl}/pages/`],
  ] as const)
    expect((await neighbour.send(method, url)).status).toBe(404);
  expect((await neighbour.send("PUT", crawl, { start_url: `${site.url}/` })).status).toBe(404);
});
