import { expect, test, vi } from "vitest";
import { createTestApp } from "../../harness/app.ts";
import { slowSender } from "../../harness/slow-sender.ts";

test("the log names a request whose sender leaves before it is answered, as when a proxy gives up", async () => {
  const app = await createTestApp();
  const url = await app.listen();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const sender = slowSender(`${url}/api/v1/suppressions/csv?calling_code=1`, app.token);
  sender.beginFile();
  sender.send("address\n");
  const list = await app.send("GET", "/api/v1/suppressions/");
  expect(list.status).toBe(200);
  sender.abort();

  const left = () => app.logged.filter((line) => line.includes("left by its sender"));
  await vi.waitFor(() => expect(left()).toHaveLength(1));
  expect(JSON.parse(left()[0] as string)).toMatchObject({ method: "POST", url: "/api/v1/suppressions/csv" });
});

test("the log has a line for each request, and none for a probe that is answered well", async () => {
  const app = await createTestApp();
  for (const url of ["/healthz", "/readyz", "/metrics", "/api/v1/suppressions/"]) await app.send("GET", url);
  const requests = app.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  expect(requests.map(({ url }) => url)).toEqual(["/api/v1/suppressions/"]);
});
