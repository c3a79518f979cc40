import { expect, test } from "vitest";
import { proxyFailure } from "./proxy-answer.ts";

test("of a failure without the program's own words, a person reads what to do", () => {
  for (const status of [400, 403, 404, 405, 413, 414, 429, 431, 500, 502, 503, 504, 520]) {
    const [said = "", advice = ""] = proxyFailure(status).split(/(?<=[.:]) /);
    expect(said).toContain(`(${status})`);
    expect(advice).toMatch(/^(Try|Ask|Wait|Send|It may still finish)/);
  }
});

test("a time limit leaves open whether the change was made, so nobody is asked to repeat it blindly", () => {
  expect(proxyFailure(504)).not.toContain("Try again in a moment");
});
