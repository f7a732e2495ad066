/** A page as a request gets it, without HTTP. */

import type { Feed } from '../../src/feed/feed.ts';
import type { CutPage } from '../../src/feed/page.ts';
import { parseQuery } from '../../src/http/listing/query.ts';

export async function listPage(
  feed: Feed,
  tokenHash: string,
  slug: string,
  search: string,
): Promise<CutPage> {
  const { snapshot, nowMs } = await feed.open(tokenHash, slug);
  const page = snapshot.page(parseQuery(search), nowMs);
  return feed.fromMemory(page) ?? feed.load(page, nowMs);
}
