type Page<Item> = { items: Item[] };
type PageQuery = { page: number; limit: number };

/** Every record of a list, page after page: `each((query) => parley.list_agents({ query }))`. */
export async function* each<Item>(
  list: (query: PageQuery) => Promise<Page<Item>>,
  limit = 100,
): AsyncGenerator<Item> {
  for (let page = 0; ; page++) {
    const { items } = await list({ page, limit });
    yield* items;
    if (items.length < limit) return;
  }
}
