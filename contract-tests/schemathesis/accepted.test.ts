import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exampleCalls, type Service } from '../support/examples.ts';

interface Accepted {
  readonly entries: readonly { readonly operation: string; readonly check: string; readonly reason?: string }[];
}

/** Operations that accept more than the description shows (`x-undocumented`). */
const TAKES_MORE = ['POST /v1/fts'];

describe.each(['docs', 'runs'] as const satisfies Service[])('what Schemathesis may report of %s', (service) => {
  const { entries } = JSON.parse(
    readFileSync(new URL(`accepted-${service}.json`, import.meta.url), 'utf8'),
  ) as Accepted;
  const known = new Set(exampleCalls(service).map(({ method, path }) => `${method.toUpperCase()} ${path}`));

  it('is of an operation that there is, with its reason', () => {
    for (const { operation, reason } of entries)
      expect([known.has(operation), reason], operation).toEqual([true, expect.stringMatching(/^\S.{20,}\.$/)]);
  });

  it('is never a failure of the server, a status that is not described, or bad input that was taken', () => {
    const never = ['not_a_server_error', 'status_code_conformance', 'negative_data_rejection', 'ignored_auth',
      'missing_required_header'];
    const takesMore = ({ operation, check }: Accepted['entries'][number]): boolean =>
      check === 'negative_data_rejection' && TAKES_MORE.includes(operation);
    expect(entries.filter((entry) => never.includes(entry.check) && !takesMore(entry))).toEqual([]);
  });
});
