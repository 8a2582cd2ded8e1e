import { describe, expect, it } from 'vitest';
import { Checkpoints, FEW_PAGES, LOG_PAGES, type LogState, LONG_LOG } from './checkpoints.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Checkpoints', () => {
  /**
   * A log of `log` pages; while each copy runs, the next of the numbers of pages is appended. `pinned`: readers need
   * the pages after this one.
   */
  const withLog = (
    { log = LONG_LOG, appended = [], pinned = Infinity, fails = 0 }: { log?: number; appended?: number[];
      pinned?: number; fails?: number } = {},
  ) => {
    const notes: string[] = [];
    let state: LogState = { log, checkpointed: 0 };
    const copy = async (): Promise<LogState> => {
      notes.push('copy');
      if (fails-- > 0) throw new Error('busy');
      const checkpointed = Math.min(state.log, pinned);
      state = { log: state.log + (appended.shift() ?? 0), checkpointed };
      checkpoints.afterCommit(state);
      return state;
    };
    const withoutWrites = async (task: () => Promise<unknown>): Promise<unknown> => {
      notes.push('writes wait');
      return task().finally(() => notes.push('writes go on'));
    };
    const checkpoints = new Checkpoints({ copy, withoutWrites });
    return {
      notes,
      commit: (pages = LOG_PAGES) => checkpoints.afterCommit({ log: state.log, checkpointed: state.log - pages }),
    };
  };

  it('are asked for when the log is large, and not again while one runs', async () => {
    const { notes, commit } = withLog();
    commit();
    commit(LOG_PAGES + 100);
    expect(notes).toEqual(['copy']);
    await settled();
    commit();
    expect(notes).toEqual(['copy', 'copy']);
  });

  it('go on after one that failed', async () => {
    const { notes, commit } = withLog({ fails: 1 });
    commit();
    await settled();
    commit();
    expect(notes).toEqual(['copy', 'copy']);
  });

  it('are not asked for while the log is small', () => {
    const { notes, commit } = withLog();
    commit(LOG_PAGES - 1);
    expect(notes).toEqual([]);
  });

  it.each([['few', [FEW_PAGES + 1, 5], 2], ['many', [9000, 9000, 9000], 3]])(
    'copy what was appended meanwhile, the last pages, which are %s, while writes wait',
    async (_, appended, copies) => {
      const { notes, commit } = withLog({ appended });
      commit();
      await settled();
      expect(notes).toEqual([...Array.from({ length: copies }, () => 'copy'), 'writes wait', 'copy', 'writes go on']);
    },
  );

  it('let no write wait while the log is not long', async () => {
    const { notes, commit } = withLog({ log: LONG_LOG - 1000, appended: [999] });
    commit();
    await settled();
    expect(notes).toEqual(['copy']);
  });

  it('let no write wait for a log whose pages a reader needs', async () => {
    const { notes, commit } = withLog({ appended: [10, 10], pinned: 7 });
    commit();
    await settled();
    expect(notes).toEqual(['copy']);
  });
});
