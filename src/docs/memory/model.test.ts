import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryFixture } from './test-fixture.ts';

/** The expected content of a list of sessions. */
interface Known {
  readonly id: string;
  readonly userId: string;
  readonly scenario: string;
  readonly title: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  updatedAt: number;
  messages: number;
}

const userId = fc.constantFrom('ada', 'bob');
const scenario = fc.constantFrom('', 'x', 'y');
const step = fc.oneof({
  weight: 4,
  arbitrary: fc.record({
    kind: fc.constant('start' as const),
    userId,
    scenario,
    title: fc.constantFrom('a', 'b', 'ä', 'B'),
    ttl: fc.constantFrom(0, 2, 5, 9),
  }),
}, { weight: 4, arbitrary: fc.record({ kind: fc.constant('say' as const), which: fc.nat() }) }, {
  weight: 2,
  arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 3 }) }),
}, fc.constant({ kind: 'sweep' as const }));
const query = fc.record({
  userId,
  scenario,
  limit: fc.integer({ min: 1, max: 5 }),
  offset: fc.nat({ max: 4 }),
  sort: fc.constantFrom('updatedAt' as const, 'createdAt' as const, 'title' as const),
  asc: fc.boolean(),
}, { requiredKeys: [] });

/** Orders by UTF-8, as the database does. */
const compare = (a: string | number,
  b: string
    | number) => (typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b))));

describe('lists of sessions (decisions section 4.7)', () => {
  it('are those that a plain array returns, whatever is started, said, expired and swept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.array(query, { minLength: 1, maxLength: 6 }),
        async (steps, queries) => {
          const fixture = await MemoryFixture.open('sql.js');
          const all: Known[] = [];
          for (const each of steps) {
            const { now } = fixture.base;
            if (each.kind === 'wait') fixture.base.advance(each.seconds);
            else if (each.kind === 'sweep') await fixture.memory.sweep(new AbortController().signal);
            else if (each.kind === 'start') {
              const { kind: _, ...given } = each;
              const { sessionId: id, createdAt, expiresAt } = await fixture.start(given);
              all.push({ ...each, id, createdAt, expiresAt: expiresAt || Infinity, updatedAt: createdAt, messages: 0 });
            } else if (all.length > 0) {
              const session = all[each.which % all.length]!;
              const said = await fixture.say(session.id, 'text').then(() => true, () => false);
              expect(said).toBe(session.expiresAt > now);
              if (said) Object.assign(session, { updatedAt: now, messages: session.messages + 1 });
            }
          }
          const alive = all.filter(({ expiresAt }) => expiresAt > fixture.base.now);
          for (const asked of queries) {
            const { sort = 'updatedAt', asc = false, limit = 50, offset = 0 } = asked;
            const wanted = alive.filter((one) =>
              one.userId === (asked.userId ?? one.userId) && one.scenario === (asked.scenario ?? one.scenario)
            );
            const sorted = wanted.sort((a, b) =>
              (compare(a[sort], b[sort]) || all.indexOf(a) - all.indexOf(b)) * (asc ? 1 : -1)
            );
            const { sessions, total } = await fixture.call('listSessions', asked);
            expect(total).toBe(wanted.length);
            expect(sessions.map(({ sessionId, messageCount }) => [sessionId, messageCount])).toEqual(
              sorted.slice(offset, offset + limit).map(({ id, messages }) => [id, messages]),
            );
          }
          await fixture.close();
        }),
      { numRuns: 15 },
    );
  });
});
