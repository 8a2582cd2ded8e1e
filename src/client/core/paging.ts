import type { Quire } from './quire.ts';
import type { DataOf, InputOf, SdkFunction } from './types.ts';

/** How the pages of a list are requested (`generated/docs/client-facts.ts`, `generated/runs/client-facts.ts`). */
export interface Paging {
  readonly by: 'cursor' | 'before' | 'offset';
  readonly in: 'body' | 'query';
  /** Field of the response with the items, `*` for a response that is the list itself. */
  readonly items: string;
  /** Field or header (`X-...`) with the value of the next page. */
  readonly next: string;
  /** Cursor of the first page, if it has one. */
  readonly first?: string;
}

/** The item type of a list whose response is `Data`. */
export type ItemOf<Data, Names extends string> = Data extends readonly (infer Item)[] ? Item
  : { [K in keyof Data & Names]: Data[K] extends readonly (infer Item)[] ? Item : never }[keyof Data & Names];

interface Where {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

/**
 * The responses of successive calls, each starting where the previous one ended. Uses the cursor if the operation has
 * one, so that nothing is skipped or repeated while other clients write; otherwise the offset. Throws a `TypeError` for
 * an operation that returns no list.
 */
export async function* pagesOf<F extends SdkFunction>(quire: Quire, table: Readonly<Record<string, Paging>>,
  operation: F, input: InputOf<F>): AsyncGenerator<{ data: DataOf<F>; items: readonly unknown[] }>
{
  const paging = table[quire.nameOf(operation)];
  if (paging === undefined) throw new TypeError(`${quire.nameOf(operation)} has no pages`);
  const given: Readonly<Record<string, unknown>> = (input as Where)[paging.in] ?? {};
  // If the caller passed an offset, paging continues by offset.
  const by = paging.by === 'cursor' && given['offset'] !== undefined ? 'offset' : paging.by;
  let at = given[by] ?? (by === 'cursor' ? paging.first : undefined);
  for (;;) {
    const place = at === undefined ? {} : { [by]: at };
    const { data, response } = await quire.send(operation,
      { ...input, [paging.in]: { ...given, ...place } } as InputOf<F>);
    const items = (paging.items === '*' ? data : (data as Record<string, unknown>)[paging.items]) as readonly unknown[];
    if (items.length > 0) yield { data, items };
    // A page by cursor may be empty because its documents were deleted meanwhile.
    else if (by !== 'cursor') return;
    const next = by === paging.by ? nextOf(paging, data, response) : undefined;
    const after = by === 'offset' ? offsetAfter(next, at, items.length, given['limit'] ?? given['topK']) : next;
    if (after === undefined || after === null || after === '' || after === at) return;
    at = after;
  }
}

function nextOf({ next }: Paging, data: unknown, response: Response): unknown {
  return next.startsWith('X-') ? response.headers.get(next) ?? undefined : (data as Record<string, unknown>)[next];
}

/** A response contains the next offset only if it was truncated; a full page may also be followed by another. */
function offsetAfter(next: unknown, at: unknown, count: number, limit: unknown): number | undefined {
  if (next !== undefined) return Number(next);
  if (typeof limit === 'number' && count < limit) return undefined;
  return Number(at ?? 0) + count;
}
