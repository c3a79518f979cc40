import { expect, test } from "vitest";
import { ToolDefinition } from "../tools/tool-definition.ts";
import { displayResult } from "./display-result.ts";

const definition = (response_display: object, propagate = true): ToolDefinition =>
  ToolDefinition.parse({
    tool: { function: { name: "list_doctors", description: "", parameters: {} } },
    options: { propagate_tool_result: propagate },
    response_display: { type: "card-list", items_path: "doctors", ...response_display },
  });

const result = {
  doctors: [
    { name: "Ann", photo: "https://example.com/ann.png", phone: "+15125551234", site: "javascript:alert(1)" },
    { name: "Bob", photo: null, phone: "+15125551235", site: "https://example.com/bob" },
  ],
};

const display = {
  mapping: {
    "media.imageUrl": { path: "photo", default: "https://example.com/none.png" },
    "content.header": { template: "Dr. {{ name }}" },
    "content.contentAlwaysLeft": true,
    cta: { text: "Call", icon: "phone", link: { template: "tel:{{ phone }}" } },
  },
  actions: [{ type: "link", text: "Site", link: { path: "site" } }],
};

test("each item becomes a card: paths select, templates interpolate, defaults fill", () => {
  expect(displayResult(definition(display), result, false)).toEqual({
    type: "card-list",
    version: 1,
    items: [
      {
        media: { imageUrl: "https://example.com/ann.png" },
        content: { header: "Dr. Ann", contentAlwaysLeft: true },
        actions: [{ type: "link", icon: "arrow", text: "Site" }],
        cta: { text: "Call", icon: "phone", link: "tel:+15125551234" },
      },
      {
        media: { imageUrl: "https://example.com/none.png" },
        content: { header: "Dr. Bob", contentAlwaysLeft: true },
        actions: [{ type: "link", icon: "arrow", text: "Site", link: "https://example.com/bob" }],
        cta: { text: "Call", icon: "phone", link: "tel:+15125551235" },
      },
    ],
  });
});

test("a link that would run a script is left out", () => {
  const shown = displayResult(definition(display), result, false);
  expect(JSON.stringify(shown)).not.toContain("javascript:");
});

test("nothing is shown of a failed call, of a result kept private, or of no list", () => {
  expect(displayResult(definition(display), result, true)).toBeNull();
  expect(displayResult(definition(display, false), result, false)).toBeNull();
  expect(displayResult(definition(display), { doctors: "none" }, false)).toBeNull();
  expect(displayResult(definition(display), null, false)).toBeNull();
});
