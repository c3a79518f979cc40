// @ts-check
/**
 * Tools of the agent that run in this page. Each call is run once at the most: not by two tabs of one chat, and not again
 * after a reload, as nobody knows what it had done by then.
 *
 * @typedef {{ key: string, tool_name: string, arguments: unknown, expires_at: string }} ClientCall
 * @typedef {{ state: "running" } | { state: "done", result: unknown } | { state: "failed", error: string }} CallState
 * @typedef {(call: ClientCall, signal: AbortSignal) => unknown} RunTool gives the result, or throws why there is none
 * @typedef {import("./saved-chat.js").Session} Session
 */
import { Refused, timeLimit, Unreachable } from "./server.js";

const AGAIN_MS = 1_000;
const MOST_REMEMBERED = 50;
/** All tabs know which calls were begun, and each tab which of them are its own. */
const BEGUN = "parley.begun";
const RELOADED = "The page was reloaded while this ran, so what came of it is not known.";

export class PageTools {
  #server;
  #run;
  #told;
  /** @type {Set<string>} */
  #mine = new Set();

  /**
   * @param {Pick<import("./server.js").Server, "answerCall">} server
   * @param {RunTool} run
   * @param {(call: ClientCall, state: CallState) => void} told
   */
  constructor(server, run, told = () => {}) {
    this.#server = server;
    this.#run = run;
    this.#told = told;
  }

  /** A call that waits for this page. It may be told of more than once. @param {Session} session @param {ClientCall} call */
  async take(session, call) {
    if (this.#mine.has(call.key)) return;
    this.#mine.add(call.key);
    const own = remembered("sessionStorage");
    const all = remembered("localStorage");
    if (own.includes(call.key)) return this.#end(session, call, { state: "failed", error: RELOADED });
    if (all.includes(call.key)) return;
    remember("sessionStorage", [...own, call.key]);
    remember("localStorage", [...all, call.key]);
    this.#told(call, { state: "running" });
    await this.#end(session, call, await this.#result(call));
  }

  /** @param {ClientCall} call @returns {Promise<CallState>} */
  async #result(call) {
    const left_ms = Math.max(0, new Date(call.expires_at).getTime() - Date.now());
    const limit = timeLimit(Math.min(left_ms, 120_000) || 120_000);
    try {
      const result = (await this.#run(call, limit.signal)) ?? null;
      // What can't be written as JSON is told now, and not by an answer that never comes.
      JSON.stringify(result);
      return { state: "done", result };
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return { state: "failed", error: words || "The page could not do it." };
    } finally {
      limit.lift();
    }
  }

  /** Answers until the server has it, or says that it is over. @param {Session} session @param {ClientCall} call @param {CallState} state */
  async #end(session, call, state) {
    this.#told(call, state);
    const answer =
      state.state === "failed"
        ? { error: state.error }
        : { result: state.state === "done" ? state.result : null };
    for (let tries = 0; tries < 60; tries++) {
      try {
        return void (await this.#server.answerCall(session, call.key, answer));
      } catch (error) {
        if (error instanceof Refused) {
          // An answer that is too long, or of another form, is no reason to let the agent wait.
          if (error.status === 422 && "result" in answer)
            return void this.#server.answerCall(session, call.key, { error: error.message }).catch(() => {});
          return;
        }
        const wait_ms = error instanceof Unreachable ? error.wait_ms : null;
        await new Promise((resolve) => setTimeout(resolve, wait_ms ?? AGAIN_MS));
      }
    }
  }
}

/** @param {"localStorage" | "sessionStorage"} where @returns {string[]} */
function remembered(where) {
  try {
    const kept = JSON.parse(globalThis[where].getItem(BEGUN) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {"localStorage" | "sessionStorage"} where @param {string[]} keys */
function remember(where, keys) {
  try {
    globalThis[where].setItem(BEGUN, JSON.stringify(keys.slice(-MOST_REMEMBERED)));
  } catch {
    // Kept nowhere: known as long as the page lives.
  }
}
