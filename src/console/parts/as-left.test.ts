import { expect, test } from "vitest";
import { asLeft, rememberPage } from "./as-left.ts";

test("the way back to a list leads to its filters, to another view of its page to that view", () => {
  rememberPage("/services", "?q=cal&f_name=a%26b&page=2");
  rememberPage("/campaigns/5", "?view=batches&b_q=may");
  rememberPage("/tools", "");
  expect(asLeft("/services")).toBe("/services?q=cal&f_name=a%26b&page=2");
  expect(asLeft("/campaigns/5?view=batches")).toBe("/campaigns/5?view=batches&b_q=may");
  expect(asLeft("/campaigns/5?view=webhooks")).toBe("/campaigns/5?view=webhooks");
  expect(asLeft("/tools")).toBe("/tools");
  expect(asLeft("/prompts")).toBe("/prompts");
});
