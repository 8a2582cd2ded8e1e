import type { Quire } from './quire.ts';
import type { DataOf, InputOf, SdkFunction } from './types.ts';

/** How a list goes on (`client-facts.ts` of the service). */
export interface Paging {
  readonly by: 'cursor' | 'before' | 'offset';
  readonly in: 'body' | 'query';
  /** Field of the answer with the items, `*` for an answer that is the list itself. */
  readonly items: string;
  /** Field or header (`X-...`) with the value of the next page. */
  readonly next: string;
  /** Cursor of the first page, where that has one. */
  readonly first?: string;
}

/** The item of a list whose answer is `Data`. */
export type ItemOf<Data, Names extends string> = Data extends readonly (infer Item)[] ? Item
  : { [K in keyof Data & Names]: Data[K] extends readonly (infer Item)[] ? Item : never }[keyof Data & Names];

interface Where {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

/**
 * The answers to one call after the other, each beginning where the one before ended. By cursor where the operation has one, so that
 * nothing is left out or repeated while others write; else by offset. Throws a `TypeError` for an operation that lists nothing.
 */
export async function* pagesOf<F extends SdkFunction>(quire: Quire, table: Readonly<Record<string, Paging>>, operation: F, input: InputOf<F>): AsyncGenerator<{ data: DataOf<F>; items: readonly unknown[] }> {
  const paging = table[quire.nameOf(operation)];
  if (paging === undefined) throw new TypeError(`${quire.nameOf(operation)} has no pages`);
  const given: Readonly<Record<string, unknown>> = (input as Where)[paging.in] ?? {};
  // Who asked for an offset goes on by it.
  const by = paging.by === 'cursor' && given['offset'] !== undefined ? 'offset' : paging.by;
  let at = given[by] ?? (by === 'cursor' ? paging.first : undefined);
  for (;;) {
    const place = at === undefined ? {} : { [by]: at };
    const { data, response } = await quire.send(operation, { ...input, [paging.in]: { ...given, ...place } } as InputOf<F>);
    const items = (paging.items === '*' ? data : (data as Record<string, unknown>)[paging.items]) as readonly unknown[];
    if (items.length === 0) return;
    yield { data, items };
    const next = by === paging.by ? nextOf(paging, data, response) : undefined;
    const after = by === 'offset' ? offsetAfter(next, at, items.length, given['limit'] ?? given['topK']) : next;
    if (after === undefined || after === null || after === '' || after === at) return;
    at = after;
  }
}

function nextOf({ next }: Paging, data: unknown, response: Response): unknown {
  return next.startsWith('X-') ? response.headers.get(next) ?? undefined : (data as Record<string, unknown>)[next];
}

/** An answer names the next offset only where it was cut; a page that is full may have another behind it. */
function offsetAfter(next: unknown, at: unknown, count: number, limit: unknown): number | undefined {
  if (next !== undefined) return Number(next);
  if (typeof limit === 'number' && count < limit) return undefined;
  return Number(at ?? 0) + count;
}
