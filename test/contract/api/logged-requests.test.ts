import { expect, test, vi } from "vitest";
import { createTestApp } from "../../harness/app.ts";
import { slowSender } from "../../harness/slow-sender.ts";
import { WAITING } from "../../harness/waiting.ts";

test("the log names a request whose sender leaves before it is answered, as when a proxy gives up", async () => {
  const app = await createTestApp();
  const url = await app.listen();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const sender = slowSender(`${url}/api/v1/suppressions/csv?calling_code=1`, app.token);
  sender.beginFile();
  await sender.sendNow("address\n");
  const list = await app.send("GET", "/api/v1/suppressions/");
  expect(list.status).toBe(200);
  sender.abort();

  const left = () => app.logged.filter((line) => line.includes("left by its sender"));
  await vi.waitFor(() => expect(left()).toHaveLength(1), WAITING);
  expect(JSON.parse(left()[0] as string)).toMatchObject({ method: "POST", url: "/api/v1/suppressions/csv" });
});

test("a file that breaks off with its sender is no error of the program's, and nothing of it is stored", async () => {
  const app = await createTestApp();
  const url = await app.listen();
  const make = async (path: string) => (await app.send("POST", `/api/v1${path}`, { name: "Own" })).body.id;
  const paths = [
    `/api/v1/insights/folders/${await make("/insights/folders/")}/upload-file?call_id=one`,
    "/api/v1/suppressions/csv",
    "/api/v1/consents/csv",
    `/api/v1/do-not-call-lists/${await make("/do-not-call-lists/")}/csv`,
  ];
  const begin = async (path: string) => {
    const sender = slowSender(`${url}${path}`, app.token);
    sender.beginFile();
    await sender.sendNow("address\n+15125550100\n");
    return sender;
  };
  const left = () => app.logged.filter((line) => line.includes("left by its sender"));
  for (const [n, path] of paths.entries()) {
    const sender = await begin(path);
    sender.abort();
    await vi.waitFor(() => expect(left()).toHaveLength(n + 1), WAITING);
  }

  // Once both places of lists are free again, what the broken files ended with has been logged.
  const suppressions = await app.send("GET", "/api/v1/suppressions/");
  expect(suppressions.body.total_count).toBe(0);
  await vi.waitFor(async () => {
    const whole = [await begin("/api/v1/suppressions/csv"), await begin("/api/v1/suppressions/csv")];
    for (const { end } of whole) end();
    for (const { answer } of whole) expect(await answer).toMatchObject({ status: 200 });
  }, WAITING);
  const levels = app.logged.map((line) => JSON.parse(line).level);
  expect(Math.max(...levels)).toBe(30);
});

test("the log has a line for each request, and none for a probe that is answered well", async () => {
  const app = await createTestApp();
  for (const url of ["/healthz", "/readyz", "/metrics", "/api/v1/suppressions/"]) await app.send("GET", url);
  const requests = app.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  expect(requests.map(({ url }) => url)).toEqual(["/api/v1/suppressions/"]);
});
