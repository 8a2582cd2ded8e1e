import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GraphStep, nextSteps } from './step-graph.ts';

const step = (name: string, needs?: string[], fields: Partial<GraphStep> = {}): GraphStep => ({
  name,
  always: false,
  runIf: '',
  background: false,
  ...(needs && { needs: { names: needs } }),
  ...fields,
});
const namesOf = (steps: readonly GraphStep[]): string[] => steps.map(({ name }) => name);
const next = (steps: readonly GraphStep[],
  state: { running?: string[]; over?: string[]; hasFailed?: boolean; mustEnd?: boolean; most?: number } = {}) =>
{
  const { start, never } = nextSteps(steps, {
    running: new Set(state.running),
    over: new Set(state.over),
    hasFailed: state.hasFailed ?? false,
    mustEnd: state.mustEnd ?? false,
    most: state.most ?? Infinity,
  });
  return { start: namesOf(start), never: namesOf(never) };
};

describe('the steps that start next', () => {
  it('follow one another where no step says what it needs', () => {
    const steps = [step('a'), step('b'), step('c')];
    expect(next(steps)).toEqual({ start: ['a'], never: [] });
    expect(next(steps, { running: ['a'] })).toEqual({ start: [], never: [] });
    expect(next(steps, { over: ['a'] })).toEqual({ start: ['b'], never: [] });
  });

  it('are those whose needs are over, at most so many at once, and any number in the background', () => {
    const steps = [step('a'), step('b', []), step('c', []), step('d', [], { background: true }), step('e', ['a', 'b'])];
    expect(next(steps)).toEqual({ start: ['a', 'b', 'c', 'd'], never: [] });
    expect(next(steps, { most: 2 })).toEqual({ start: ['a', 'b', 'd'], never: [] });
    expect(next(steps, { most: 2, running: ['b'], over: ['a', 'd'] })).toEqual({ start: ['c'], never: [] });
    expect(next(steps, { running: ['c'], over: ['a', 'b', 'd'] })).toEqual({ start: ['e'], never: [] });
  });

  it('are only those that always run after a failure, when what they need directly or by others has ended', () => {
    const steps = [step('a', []), step('b', ['a']), step('c', ['b'], { always: true }), step('d')];
    expect(next(steps, { running: ['a'], hasFailed: true })).toEqual({ start: [], never: [] });
    expect(next(steps, { over: ['a'], hasFailed: true })).toEqual({ start: ['c'], never: ['b'] });
    expect(next(steps, { over: ['a', 'b', 'c'], hasFailed: true })).toEqual({ start: [], never: ['d'] });
  });

  it('are those for failures if something before them has failed, and the run may go on', () => {
    const steps = [step('a'), step('b', [], { runIf: 'failure' }), step('c', ['a'], { runIf: 'failure' })];
    expect(next(steps)).toEqual({ start: ['a'], never: ['b'] });
    expect(next(steps, { over: ['a', 'b'] })).toEqual({ start: [], never: ['c'] });
    expect(next(steps, { over: ['a', 'b'], hasFailed: true })).toEqual({ start: ['c'], never: [] });
    expect(next(steps, { over: ['a', 'b'], hasFailed: true, mustEnd: true })).toEqual({ start: [], never: ['c'] });
  });
});

/** Any list of steps, with needs that also point at themselves, at later steps and at nothing. */
const lists = fc.array(fc.record({
  always: fc.boolean(),
  runIf: fc.constantFrom('', 'failure'),
  background: fc.boolean(),
  needs: fc.option(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 3 }), { nil: undefined }),
}), { maxLength: 7 }).map((all) =>
  all.map(({ needs, ...fields }, at) => step(`s${at}`, needs?.map((each) => `s${each}`), fields))
);

/** What all needs of a step lead to, counted for each pair by walking every way back. */
function leadsTo(steps: readonly GraphStep[], from: number, to: number): boolean {
  const { needs } = steps[from]!;
  const direct = needs === undefined
    ? (from === 0 ? [] : [from - 1])
    : steps.flatMap(({ name }, at) => (at < from && needs.names.includes(name) ? [at] : []));
  return direct.some((at) => at === to || leadsTo(steps, at, to));
}

describe('any list of steps', () => {
  it('is run to its end, each step once and after all that its needs lead to, whatever fails when', () => {
    fc.assert(
      fc.property(lists, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }), (steps, choices, most, failsAt, stopsAt) => {
        const [running, over, begun] = [new Set<string>(), new Set<string>(), new Map<string, Set<string>>()];
        const neverStarted = new Set<string>();
        for (let ends = 0;;) {
          const found = nextSteps(steps, { running, over, hasFailed: ends > failsAt, mustEnd: ends > stopsAt, most });
          for (const { name, always } of found.never) {
            expect([always, begun.has(name), neverStarted.has(name)]).toEqual([false, false, false]);
            neverStarted.add(name);
            over.add(name);
          }
          for (const { name, always, runIf, background } of found.start) {
            const isForThis = ends <= stopsAt && (ends > failsAt ? runIf === 'failure' : runIf === '');
            expect([begun.has(name), always || isForThis]).toEqual([false, true]);
            begun.set(name, new Set(over));
            (background ? over : running).add(name);
          }
          expect(running.size).toBeLessThanOrEqual(most);
          if (found.start.length === 0 && running.size === 0) break;
          if (running.size === 0) continue;
          const ending = [...running][choices[ends % choices.length]! % running.size]!;
          running.delete(ending);
          over.add(ending);
          ends += 1;
        }
        expect(new Set([...begun.keys(), ...neverStarted])).toEqual(new Set(namesOf(steps)));
        for (const [name, before] of begun) {
          const at = namesOf(steps).indexOf(name);
          for (const [to, other] of steps.entries())
            if (leadsTo(steps, at, to)) expect(before.has(other.name), `${other.name} before ${name}`).toBe(true);
        }
      }),
    );
  });
});
