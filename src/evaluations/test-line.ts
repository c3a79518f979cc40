import type { Snapshot } from "../agents/snapshot.ts";

/** The call of a test that is held with sound: both sides are spoken, and the agent's ear hears the person's. */
export type TestLine = {
  /** Resolves once the words were played to their end. */
  agentSays(texts: readonly string[]): Promise<void>;
  /** Resolves with what the agent's ear made of the words; empty: nothing was heard. */
  personSays(text: string): Promise<string>;
  close(): Promise<void>;
};

type TestLineWanted = {
  snapshot: Snapshot;
  /** What the person may say, as far as it is known: the ear of this machine finds only words that it expects. */
  lines: readonly string[];
  seed: number;
};

/** Opens calls of tests; a sentence where this machine can't hold one. The room of calls does it. */
export type OpenTestLine = (wanted: TestLineWanted) => Promise<TestLine | { missing: string }>;
