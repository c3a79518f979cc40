import { type Handler, Parser, type ParserOptions } from "htmlparser2";

/**
 * The parser moves all open elements at each new one: 20,000 levels take a fifth of a second, 100,000 half a minute. Word
 * nests some dozens, and a page whose elements are never closed some thousands.
 */
const DEEPEST = 20_000;

/** A parser that throws where elements nest deeper than anybody's: a file of some kilobytes would hold up its reader. */
export function boundedParser(handler: Partial<Handler>, options: ParserOptions): Parser {
  let level = 0;
  return new Parser(
    {
      ...handler,
      onopentag(name, attributes, isImplied) {
        if (++level > DEEPEST) throw new Error(`its elements nest more than ${DEEPEST} levels deep`);
        handler.onopentag?.(name, attributes, isImplied);
      },
      onclosetag(name, isImplied) {
        level--;
        handler.onclosetag?.(name, isImplied);
      },
    },
    options,
  );
}
