import { type AnswerBudget, truncationHeaders, truncationOf } from './answer-budget.ts';
import { Reply } from './handler.ts';

/** The items of its list that a response should contain; all that fit if there is no limit. */
interface PageInput {
  readonly offset?: number;
  readonly limit?: number;
}

/**
 * The answer with one page of its list: at most `limit` items from `offset` on, and no more than fit the budget by
 * their size as JSON. `list` names the field with the list; `*` means that the response is the list itself (`x-pages`).
 * As everywhere, `truncated` means that items did not fit: a page that ended at its limit is complete. Counts are those
 * of the whole list; if the response is the list itself, its count is in `X-Total-Count`. A response without the list,
 * for example one resource, is not changed.
 */
export function pageOf<T>(list: string, reply: Reply<T>, input: object, budget: AnswerBudget): Reply<T> {
  const { value, headers, status } = reply;
  const all: unknown = list === '*' ? value : (value as Readonly<Record<string, unknown>>)[list];
  if (!Array.isArray(all)) return reply;
  const { offset = 0, limit = all.length } = input as PageInput;
  const items = budget.fit(all.slice(offset, offset + limit), sizeOf);
  const end = [budget.isSpent, offset + items.length] as const;
  if (list !== '*') return new Reply({ ...value, [list]: items, ...truncationOf(...end) }, headers, status);
  return new Reply(items as T, { ...headers, 'X-Total-Count': String(all.length), ...truncationHeaders(...end) },
    status);
}

function sizeOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item));
}
