type Page<Item> = { items: Item[]; page_size: number };
type PageQuery = { page: number; limit: number };

/**
 * Every record of a list, page after page: `each((query) => parley.list_agents({ query }))`. Where records are added or
 * deleted meanwhile, the pages after them move: one may come twice or not at all. A list that begins with the newest, such
 * as sessions, stays as it is before an `end_datetime`.
 */
export async function* each<Item>(
  list: (query: PageQuery) => Promise<Page<Item>>,
  limit = 100,
): AsyncGenerator<Item> {
  for (let page = 0; ; page++) {
    const { items, page_size } = await list({ page, limit });
    yield* items;
    // Not the limit: a page holds 1,000 records at most, however many are asked for.
    if (items.length === 0 || items.length < page_size) return;
  }
}
