import { expect, test } from "vitest";
import { guardedStream } from "./guarded-fetch.ts";

test("a request whose host is looked up for ever ends when its caller gives up", async () => {
  const ask = guardedStream({ hosts: [], networks: [] }, () => new Promise(() => {}));
  const caller = new AbortController();
  const asked = ask("https://models.example/v1", { signal: caller.signal });
  caller.abort(new Error("the model did not begin to answer"));
  await expect(asked).rejects.toThrow("the model did not begin to answer");
  await expect(ask("https://models.example/v1", { signal: caller.signal })).rejects.toThrow("did not begin");
});
