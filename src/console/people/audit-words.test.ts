import { expect, test } from "vitest";
import { actionWords, nameOf, resourceWords, timesWords } from "./audit-words.ts";

const entry = (after: unknown) => ({ after }) as Parameters<typeof timesWords>[0];

test("an entry is told in words, also where its action or record has none of its own", () => {
  expect(actionWords("sign-in-failed")).toBe("Sign-in failed");
  expect(actionWords("queue-work")).toBe("Queue work");
  expect(resourceWords("users")).toBe("Person");
  expect([actionWords("stop"), resourceWords("experiments")]).toEqual(["Stopped", "Experiment"]);
  expect(resourceWords("sip_ip_ranges")).toBe("Sip ip ranges");
});

test("an entry that counts says how often, one that doesn't says nothing", () => {
  expect(timesWords(entry({ times: 12 }))).toBe("12 times");
  expect(timesWords(entry({ times: 1 }))).toBeNull();
  expect(timesWords(entry(null))).toBeNull();
  expect(nameOf(entry({ email: "a@example.com" }))).toBe("a@example.com");
});
