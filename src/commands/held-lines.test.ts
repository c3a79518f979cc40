import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog } from "../base/log.ts";
import { heldLines } from "./held-lines.ts";

test("a text in pieces stays one block: the log's lines come before it and after it, warnings at once", () => {
  const seen: string[] = [];
  const terminal = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      seen.push(/"msg":"([^"]*)"/.exec(text)?.[1] ?? text);
      done();
    },
  });
  const lines = heldLines(terminal);
  const log = createLog({ level: "info", destination: lines.stream });
  log.info("before");
  lines.hold();
  terminal.write("First start.");
  log.info("Server listening");
  log.warn("a warning");
  terminal.write("Ready.");
  lines.release();
  log.info("after");
  lines.release();
  expect(seen).toEqual(["before", "First start.", "a warning", "Ready.", "Server listening", "after"]);
});
