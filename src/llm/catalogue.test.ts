import { expect, test } from "vitest";
import {
  catalogueOf,
  choosableLlms,
  DEFAULT_MODEL,
  DEFAULT_PROVIDER,
  findLlm,
  type LlmEntry,
  lifecycle,
  modelToday,
  PROVIDERS,
} from "./catalogue.ts";

const LLMS = catalogueOf();
const TODAY = "2026-11-20";
const entry = (provider: string, model: string) => findLlm(LLMS, provider, model) as LlmEntry;

test("the default model may be chosen", () => {
  expect(lifecycle(entry(DEFAULT_PROVIDER, DEFAULT_MODEL), TODAY)).toBe("active");
});

test("every provider offers the offline model, labelled as such", () => {
  for (const provider of PROVIDERS) {
    expect(entry(provider, "scripted").display_name).toBe("Scripted (offline)");
  }
});

test("a model is deprecated up to the day before its sunset and retired from that day on", () => {
  const gpt = entry("openai", "gpt-4.1");
  expect(gpt.sunset_date).toBe("2027-01-14");
  expect(lifecycle(gpt, "2027-01-13")).toBe("deprecated");
  expect(lifecycle(gpt, "2027-01-14")).toBe("retired");
  expect(lifecycle({ ...gpt, removed: true }, TODAY)).toBe("retired");
  expect(lifecycle({ ...gpt, sunset_date: null }, TODAY)).toBe("active");
});

test("retired models are left out of the choice, but for the one chosen already", () => {
  const names = (selected: string | null) => choosableLlms(LLMS, TODAY, selected).map(({ model }) => model);
  expect(names(null)).not.toContain("gemini-2.0-flash");
  expect(names("gemini-2.0-flash")).toContain("gemini-2.0-flash");
});

test("a retired model is stood in for along its fallbacks, to one that answers today", () => {
  expect(modelToday(LLMS, "google", "gemini-2.0-flash", TODAY)).toBe("gemini-3.5-flash");
  expect(modelToday(LLMS, "openai", "gpt-4o", TODAY)).toBe("gpt-4o");
  expect(modelToday(LLMS, "openai", "gpt-4o", "2027-06-01")).toBe("gpt-6-luna");
  expect(modelToday(LLMS, "openai", "our-own", TODAY)).toBe("our-own");
  const ring = ["a", "b"].map((model, index) => ({
    ...entry("openai", "gpt-4o"),
    model,
    removed: true,
    fallback: ["b", "a"][index] as string,
  }));
  expect(modelToday(ring, "openai", "a", TODAY)).toBe("a");
});

test("every fallback is a model of the same provider that is not retired itself", () => {
  for (const { provider, model, fallback } of LLMS) {
    if (fallback === null) continue;
    const next = findLlm(LLMS, provider, fallback);
    expect(next, `${provider}/${model} → ${fallback}`).not.toBeNull();
    expect(lifecycle(next as LlmEntry, TODAY)).toBe("active");
  }
});

test("an installation's rows replace ours and add to them", () => {
  const own: LlmEntry = { ...entry("openai", "gpt-4o"), display_name: "Ours", sunset_date: null };
  const added: LlmEntry = { ...own, model: "qwen3" };
  const catalogue = catalogueOf([own, added]);
  expect(findLlm(catalogue, "openai", "gpt-4o")?.display_name).toBe("Ours");
  expect(catalogue).toHaveLength(LLMS.length + 1);
});
