import { Parser } from "htmlparser2";

type Shown = {
  /** With all that is in it. */
  gone: boolean;
  /** What is in it may be shown all the same: its size is its own. */
  tiny: boolean;
  invisible: boolean;
};

/**
 * HTML without what its reader doesn't see: a preview line for lists of mails, words for filters, a layout for another
 * program. Told by attributes, where mails have it; a style sheet is not looked at. Pure.
 */
export function withoutHidden(html: string): string {
  const kept: string[] = [];
  let from = 0;
  const cut = (start: number, end: number) => {
    if (start > from) kept.push(html.slice(from, start));
    from = Math.max(from, end);
  };
  const open: Shown[] = [{ gone: false, tiny: false, invisible: false }];
  const now = () => open.at(-1) as Shown;
  let goneFrom = 0;
  const parser = new Parser({
    onopentag(_name, attributes) {
      const before = now();
      const shown = shownIn(before, attributes);
      if (shown.gone && !before.gone) goneFrom = parser.startIndex;
      open.push(shown);
    },
    ontext() {
      const { gone, tiny, invisible } = now();
      if (!gone && (tiny || invisible)) cut(parser.startIndex, parser.endIndex + 1);
    },
    onclosetag(_name, isImplied) {
      const closed = open.pop() as Shown;
      // An end that is left out is where the next element begins.
      if (closed.gone && !now().gone) cut(goneFrom, isImplied ? parser.startIndex : parser.endIndex + 1);
    },
  });
  parser.end(html);
  kept.push(html.slice(from));
  return kept.join("");
}

function shownIn(before: Shown, { hidden, style = "" }: Record<string, string>): Shown {
  const is = declarations(style);
  const clips = is.get("overflow") === "hidden" || is.get("overflow-y") === "hidden";
  const gone =
    before.gone ||
    hidden !== undefined ||
    is.get("display") === "none" ||
    isZero(is.get("opacity")) === true ||
    (clips && (isZero(is.get("max-height")) === true || isZero(is.get("height")) === true));
  const visibility = is.get("visibility");
  return {
    gone,
    tiny: isZero(is.get("font-size")) ?? before.tiny,
    invisible: visibility === undefined ? before.invisible : visibility !== "visible",
  };
}

/** undefined: nothing is said. */
const isZero = (value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : /^0*\.?0+([a-z]{1,4}|%)?$/.test(value);

/** Of a style attribute, by name; of two of a name the last counts. */
const declarations = (style: string): Map<string, string> =>
  new Map(
    style.split(";").map((declaration) => {
      const [name = "", ...value] = declaration.split(":");
      return [
        name.trim().toLowerCase(),
        value
          .join(":")
          .replace(/!\s*important/i, "")
          .trim()
          .toLowerCase(),
      ];
    }),
  );
