import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test, vi } from "vitest";
import { compilePattern, MAX_INSTRUCTIONS, PatternMeter, patternFault } from "./pattern.ts";

describe("a pattern that a tenant wrote", () => {
  test.each([
    ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,24}$"],
    ["^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$"],
    ["^.{1,1000}$"],
    ["^\\+?[1-9]\\d{1,14}$"],
    ["(?i)^(?:[\\p{L}'-]{1,20} ?){2}$"],
    ["\\Q(a{1000}\\E"],
    ["[]a{9}]{2}"],
  ])("is taken where a person might have meant it: %s", (source) => {
    expect(patternFault(source)).toBeNull();
  });

  test.each([
    ["[ab]{0,1000}".repeat(10)],
    ["((((a{10}){10}){10}){10}){10}"],
    ["(x{500}){2}y{1000}z{500}"],
    ["\\pL".repeat(30)],
    [`(?i)${"[\\pL\\d_-]".repeat(30)}`],
    ["x".repeat(2_001)],
    ["(\\Q)\\Ea{1000}){3}"],
    ["([)]a{1000}){3}"],
  ])("is refused before it is compiled where its program would be too large: %s", (source) => {
    const compiles = vi.spyOn(RE2JS, "compile");
    expect(patternFault(source)).toMatch(/^it is too large/);
    expect(compiles).not.toHaveBeenCalled();
    compiles.mockRestore();
  });

  test("never has a program much larger than was read off it", () => {
    const atom = fc.constantFrom("a", ".", "\\d", "[a-z]", "[^)]", "\\.", "\\pL", "(?:ab|c)", "\\Q(\\E");
    const times = fc.constantFrom("", "", "*", "+?", "?", "{3}", "{2,}", "{0,7}", "{1,40}");
    const piece = fc.tuple(atom, times).map((parts) => parts.join(""));
    const group = fc
      .tuple(fc.array(piece, { maxLength: 4 }), times)
      .map(([inner, count]) => `(${inner.join("")})${count}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, group), { minLength: 1, maxLength: 6 }), (parts) => {
        const source = parts.join("");
        if (patternFault(source) !== null) return;
        expect(RE2JS.compile(source).programSize()).toBeLessThan(1.5 * MAX_INSTRUCTIONS);
      }),
    );
  });

  test("is run as long as there is something left to spend on it", () => {
    const pattern = compilePattern("[ab]{0,500}c");
    const meter = new PatternMeter();
    meter.spend(pattern, "ab".repeat(50));
    expect(() => meter.spend(pattern, "ab".repeat(5_000))).toThrow("too long");
  });
});
