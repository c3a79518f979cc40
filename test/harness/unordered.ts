import pg from "pg";

/**
 * Rows whose order nobody asked for come in whatever order PostgreSQL finds them: nearly always as they were written,
 * and on a busy day not. Here they come turned round, so that what leans on their order is seen at once.
 */
let turns = false;

/** From now on, every answer in this process to a statement that says no order comes last row first. */
export function turnUnordered(): void {
  if (turns) return;
  turns = true;
  const send = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    if (!isUnordered(given[0])) return send.apply(this, given);
    const last = given.at(-1);
    if (typeof last === "function") {
      given[given.length - 1] = (error: unknown, result: pg.QueryResult) => {
        turn(result);
        last(error, result);
      };
    }
    const answer = send.apply(this, given);
    return answer instanceof Promise ? answer.then(turn) : answer;
  } as typeof pg.Client.prototype.query;
}

const texts = new Map<string, boolean>();

function isUnordered(statement: unknown): boolean {
  const text = typeof statement === "string" ? statement : (statement as { text?: string } | null)?.text;
  if (text === undefined) return false;
  let found = texts.get(text);
  if (found === undefined) {
    found = !/\border\s+by\b/i.test(text);
    texts.set(text, found);
  }
  return found;
}

/** A cursor's rows come by FETCH, in the order that its declaration asked for. */
const ANSWERS = new Set(["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"]);

function turn<T extends pg.QueryResult | undefined>(result: T): T {
  if (result && ANSWERS.has(result.command)) result.rows.reverse();
  return result;
}
