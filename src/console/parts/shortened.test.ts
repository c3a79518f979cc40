import { expect, test } from "vitest";
import { cutTo, shortened } from "./shortened.ts";

test("a text is cut between characters, and says that it was", () => {
  expect(shortened("Anna 👩‍⚕️ Lee", 7)).toBe("Anna …");
  expect(shortened("Anna", 4)).toBe("Anna");
  expect(shortened("🇩🇪🇫🇷", 6)).toBe("🇩🇪…");
  expect(cutTo("कि", 1)).toBe("");
  expect(cutTo("abc", 3)).toBe("abc");
});
