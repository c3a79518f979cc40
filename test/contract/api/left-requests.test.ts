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
