import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutHidden } from "./hidden-html.ts";

test.each([
  ["display", '<div style="display:none">no <b>not</b></div>'],
  ["an important one, in capitals", '<DIV STYLE="mso-hide:all; DISPLAY : None !important">no</DIV>'],
  ["visibility", '<span style="visibility:hidden">no</span>'],
  ["no size", '<div style="font-size:0px;line-height:1px">no</div>'],
  ["no height", '<div style="max-height:0;overflow:hidden;color:#fff">no</div>'],
  ["full transparency", '<div style="opacity:0.0">no</div>'],
  ["its attribute", '<p hidden>no <a href="https://no.example">no</a></p>'],
])("what is hidden by %s is not read", (_by, hidden) => {
  expect(withoutHidden(`<p>Yes,</p>${hidden}<p>please.</p>`).replace(/<[^>]*>/g, "")).toBe("Yes,please.");
});

test("hidden in hidden is cut once, and goes with links and elements that have no end", () => {
  const inner = 'a<br><img src="x"><div hidden>b</div><a href="https://no.example">c</a>';
  expect(withoutHidden(`1<div style="display:none">${inner}</div>2`)).toBe("12");
  expect(withoutHidden('1<p style="display:none">a<p>2</p>')).toBe("1<p>2</p>");
  expect(withoutHidden('1<div style="display:none">a')).toBe("1");
});

test("a size or visibility of its own shows what stands in something without", () => {
  const grid = '<td style="font-size:0">x<div style="font-size:13px">Hello &amp; you</div>y</td>';
  expect(withoutHidden(grid)).toBe(
    '<td style="font-size:0"><div style="font-size:13px">Hello &amp; you</div></td>',
  );
  const shown = '<i style="visibility:hidden">x<b style="visibility:visible">Hello</b></i>';
  expect(withoutHidden(shown)).toBe(
    '<i style="visibility:hidden"><b style="visibility:visible">Hello</b></i>',
  );
});

test("what only looks alike is kept", () => {
  const html =
    '<p style="font-size:0.9em;max-height:0.5em;display:block">a</p><p style="max-height:0">b</p><p title="display:none">c</p><!-- <p hidden> -->d < e';
  expect(withoutHidden(html)).toBe(html);
});

test("whatever nobody hides stays as it is, to the letter", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "<p>",
      "</p>",
      "<div style='color:red'>",
      "</div>",
      "<br>",
      "&amp;",
      "<",
      ">",
      "<!--",
      "-->",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const html = pieces.join("").replaceAll("hidden", "");
      expect(withoutHidden(html)).toBe(html);
    }),
  );
});
