import { createWorkerPool, type PoolLimits, WorkGivenUp } from "../../base/worker-pool.ts";
import type { DocumentWork } from "./document-work.ts";
import { type FileOutcome, refuse } from "./file-outcome.ts";
import type { HtmlPage } from "./read-html.ts";

/** Whatever is read of files is read in threads apart; one that takes too much is ended, and the file refused. */
export type DocumentReader = {
  file(bytes: Buffer, filename: string): Promise<FileOutcome>;
  page(bytes: Buffer, charset: string | null): Promise<HtmlPage | null>;
  close(): Promise<void>;
};

/** A PDF of 500 pages takes about three seconds. Two threads, so that one hostile file leaves another for the rest. */
const LIMITS: PoolLimits = { threads: 2, cpu_ms: 30_000, wall_ms: 120_000, memory_mb: 768, most_waiting: 20 };

export function createDocumentReader(): DocumentReader {
  const pool = createWorkerPool<DocumentWork>(new URL("./document-work.ts", import.meta.url), LIMITS);
  return {
    file: (bytes, filename) => pool.run("readFile", bytes, filename).catch(outcomeOf),
    page: async (bytes, charset) => {
      try {
        return await pool.run("readPage", bytes, charset);
      } catch (error) {
        return { outcome: outcomeOf(error), page: NO_LINKS };
      }
    },
    close: pool.close,
  };
}

const NO_LINKS = { links: [], base: null, noindex: false, nofollow: false };

/** That there is no room now is thrown on: the caller may come again. */
function outcomeOf(error: unknown): FileOutcome {
  if (!(error instanceof WorkGivenUp)) throw error;
  return refuse(error.reason === "time" ? "too-slow" : error.reason === "memory" ? "too-much" : "broken");
}
