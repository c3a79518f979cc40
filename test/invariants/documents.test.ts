import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const PAGES = globSync(["*.md", "docs/**/*.md", "sdk/*/README.md"], { cwd: ROOT });

/** Pages whose every path is of this tree; others speak of files of their readers, too. */
const OF_THE_TREE = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];
const FILES = globSync(["{src,test,docs,bench,scripts,sdk,public,deploy}/**/*", "*"], {
  cwd: ROOT,
  exclude: (name) => name.endsWith("node_modules"),
});

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );

const linksOf = (page: string): string[] =>
  [...page.replace(/^(`{3,})[\s\S]*?^\1/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);

test("every link of our pages leads to a file that is there, and to a heading in it", () => {
  const broken = PAGES.flatMap((page) =>
    linksOf(read(page))
      .filter((link) => !/^(https?|mailto):/.test(link))
      .filter((link) => {
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(ROOT, target))) return true;
        return anchor !== undefined && target.endsWith(".md") && !anchorsOf(read(target)).has(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("what a published package's README links to is in the package", () => {
  const outside = globSync("sdk/*/package.json", { cwd: ROOT })
    .filter((file) => !JSON.parse(read(file)).private)
    .map((file) => path.join(path.dirname(file), "README.md"))
    .flatMap((page) => linksOf(read(page)).map((link) => ({ page, link })))
    .filter(({ link }) => link.startsWith("../"));
  expect(outside).toEqual([]);
});

test("the tree's own pages name files and folders that are there", () => {
  const isThere = (name: string) => FILES.some((file) => file === name || file.endsWith(`/${name}`));
  const missing = OF_THE_TREE.flatMap((page) =>
    [...read(page).matchAll(/`([\w.@/-]+)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => /\.(tsx?|sql|json|md|yaml|txt)$|^\w[\w/-]*\/$/.test(name))
      .filter((name) => !isThere(name.replace(/\/$/, "")))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test("what a page for users tells to run needs no other Node.js than the one that ./parley brings", () => {
  const developers = ["docs/benchmarks.md", "docs/console-development.md"];
  const faults = PAGES.filter((page) => !developers.includes(page) && !page.startsWith("docs/decisions/"))
    .flatMap((page) =>
      [...read(page).matchAll(/node [\w/-]+\.ts/g)].map(([command]) => `${page}: ${command}`),
    )
    .filter((fault) => !fault.startsWith("sdk/"));
  expect(faults).toEqual([]);
});

test("an address of the API that a page names is an operation's, and takes the method that stands before it", () => {
  const paths: Record<string, object> = JSON.parse(read("openapi.json")).paths;
  const operations = Object.entries(paths).map(([address, methods]) => ({
    // A page may say `DELETE /api/v1/judges/` of a list and mean one of its records.
    pattern: new RegExp(
      `^${address.replace(/\{[^}]+\}/g, "[^/]+").replace(/\/(\[\^\/\]\+)?$/, "(/[^/]+)?")}/?$`,
    ),
    methods: Object.keys(methods),
  }));
  const OF_NO_OPERATION = ["/api/v1", "/chat/v1/sessions/{session_id}/socket"];
  const named =
    /(?:\b(GET|POST|PUT|PATCH|DELETE) +)?(?:https?:\/\/[\w.:]+|localhost:\d+)?(\/(?:api|chat)\/v1(?:\/[\w{}$%+@:-]+(?:\.\w+)*)*)/g;
  const faults = PAGES.filter((page) => page !== "docs/console-development.md").flatMap((page) =>
    [...read(page).matchAll(named)]
      .filter(([, , address = ""]) => !OF_NO_OPERATION.includes(address))
      .filter(
        ([, method, address = ""]) =>
          !operations.some(
            ({ pattern, methods }) =>
              pattern.test(address) && (method === undefined || methods.includes(method.toLowerCase())),
          ),
      )
      .map(([said]) => `${page}: ${said}`),
  );
  expect(faults).toEqual([]);
});

test.each(["src", "src/console"])("ARCHITECTURE.md says what each room of %s is for", (folder) => {
  const named = new Set([...read("ARCHITECTURE.md").matchAll(/`([\w/-]+)`/g)].map(([, name = ""]) => name));
  const rooms = readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(rooms.filter((room) => !named.has(room) && room !== "console")).toEqual([]);
});

test("docs/console.md says under which entry of the menu each page of the console is", () => {
  const pages = globSync("src/console/pages/*-pages.ts", { cwd: ROOT }).flatMap((file) =>
    read(file)
      .split(/\n {2}\},?\n/)
      .map((page) => /title: "([^"]+)"[\s\S]*entry: "([^"]+)"/.exec(page))
      .flatMap((found) => (found ? [{ page: found[1] ?? "", entry: found[2] ?? "" }] : [])),
  );
  expect(pages.length).toBeGreaterThan(30);
  const table = /^\| menu \| pages \|\n[^\n]+\n([\s\S]*?)\n\n/m.exec(read("docs/console.md"))?.[1] ?? "";
  const rows = new Map(
    [...table.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, entry = "", names = ""]) => [
      entry,
      names.split(", "),
    ]),
  );
  expect(pages.filter(({ page, entry }) => !rows.get(entry)?.includes(page))).toEqual([]);
});
