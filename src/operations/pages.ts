import { truncationHeaders, truncationOf, type AnswerBudget } from './answer-budget.ts';
import { Reply } from './handler.ts';

/** Which items of its list an answer is to have; all that fit where there is no limit. */
interface PageInput {
  readonly offset?: number;
  readonly limit?: number;
}

/**
 * The answer with one page of its list: at most `limit` items from `offset` on, and no more than fit the budget by
 * their size as JSON. `list` names the field that holds it, `*` stands for an answer that is the list itself
 * (`x-pages`). `truncated` is for what did not fit, as everywhere else: a page that ended at its limit has all that was
 * asked for. Counts stay those of the whole list; one that is the answer itself has its count in `X-Total-Count`. An
 * answer without the list, one resource for instance, stays as it is.
 */
export function pageOf<T>(list: string, reply: Reply<T>, input: object, budget: AnswerBudget): Reply<T> {
  const { value, headers, status } = reply;
  const all: unknown = list === '*' ? value : (value as Readonly<Record<string, unknown>>)[list];
  if (!Array.isArray(all)) return reply;
  const { offset = 0, limit = all.length } = input as PageInput;
  const items = budget.fit(all.slice(offset, offset + limit), sizeOf);
  const end = [budget.isSpent, offset + items.length] as const;
  if (list !== '*') return new Reply({ ...value, [list]: items, ...truncationOf(...end) }, headers, status);
  return new Reply(items as T, { ...headers, 'X-Total-Count': String(all.length), ...truncationHeaders(...end) }, status);
}

function sizeOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item));
}
