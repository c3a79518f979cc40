export type Gather<Item, Outcome> = {
  /** Resolves with what became of this item once it is stored; rejects if it could not be. */
  add(item: Item): Promise<Outcome>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

type Waiting<Item, Outcome> = { item: Item; settle: PromiseWithResolvers<Outcome> };

/**
 * Collects what comes while a write is under way into the next one: alone, an item is written at once; at a thousand a
 * second, hundreds share a commit. One write at a time, in the order in which items came.
 */
export function gather<Item, Outcome>({
  most,
  size = () => 1,
  write,
  isolates = () => true,
}: {
  /** How much one write takes, by `size`; a larger item is written alone. */
  most: number;
  size?: (item: Item) => number;
  /** All of them or none; answers in the items' order. */
  write(items: Item[]): Promise<Outcome[]>;
  /** Whether a failed write may be one item's fault: each is then written alone. Otherwise all of it fail. */
  isolates?: (error: unknown) => boolean;
}): Gather<Item, Outcome> {
  let waiting: Waiting<Item, Outcome>[] = [];
  let running: Promise<void> | null = null;

  const run = async () => {
    // What is added in this very turn of the event loop goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await store(nextPart());
    running = null;
  };

  async function store(part: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await write(part.map(({ item }) => item));
      if (outcomes.length !== part.length) throw new Error(`${outcomes.length} outcomes of ${part.length}`);
      for (const [index, outcome] of outcomes.entries()) part[index]?.settle.resolve(outcome);
    } catch (error) {
      if (part.length > 1 && isolates(error)) for (const each of part) await store([each]);
      else for (const { settle } of part) settle.reject(error);
    }
  }

  function nextPart(): Waiting<Item, Outcome>[] {
    let filled = 0;
    const end = waiting.findIndex(({ item }, index) => {
      filled += size(item);
      return index > 0 && filled > most;
    });
    const part = end < 0 ? waiting : waiting.slice(0, end);
    waiting = end < 0 ? [] : waiting.slice(end);
    return part;
  }

  return {
    add(item) {
      const settle = Promise.withResolvers<Outcome>();
      waiting.push({ item, settle });
      running ??= run();
      return settle.promise;
    },
    async idle() {
      while (running) await running;
    },
  };
}
