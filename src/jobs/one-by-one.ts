import { errorText } from "../base/errors.ts";

/**
 * Runs a job's items one after the other. An item that fails holds up no other one, of another organization perhaps: the
 * rest is run first, and then the job fails. Begins none once `stopping` is aborted.
 */
export async function oneByOne<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  run: (item: Item) => Promise<unknown>,
  stopping?: AbortSignal,
): Promise<void> {
  const faults: unknown[] = [];
  for await (const item of items) {
    if (stopping?.aborted) break;
    try {
      await run(item);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 1)
    throw new AggregateError(faults, `${faults.length} items failed, the first: ${errorText(faults[0])}`);
  if (faults.length === 1) throw faults[0];
}
