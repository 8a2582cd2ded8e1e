import { describe, expect, it } from 'vitest';
import { recognize, versionOf } from './versions.ts';
import { WriteModel } from './write-model.ts';

/** The crash tests are only as good as their model: these are the faults that it must detect. */
describe('the model of acknowledged writes', () => {
  const judge = (model: WriteModel, stored: [string, ReturnType<typeof versionOf>][]) =>
    model.reconcile(new Map(stored));
  const acknowledged = (key: string, ...versions: number[]) => {
    const model = new WriteModel();
    for (const version of versions) {
      model.begin(key, version);
      model.acknowledge(key, version);
    }
    return model;
  };

  it('sees that an acknowledged document is gone, or is an older version', () => {
    expect(judge(acknowledged('a', 1), [])).toEqual(['a is absent, expected 1']);
    expect(judge(acknowledged('a', 1, 2), [['a', versionOf(1)]])).toEqual(['a is 1, expected 2']);
  });

  it('sees that a deleted document is back, and one that nobody wrote', () => {
    const model = acknowledged('a', 1);
    model.begin('a', 'absent');
    model.acknowledge('a', 'absent');
    expect(judge(model, [['a', versionOf(1)]])).toEqual(['a is 1, expected absent']);
    expect(judge(new WriteModel(), [['b', versionOf(1)]])).toEqual(['b was never written']);
  });

  it('takes a write without a response for done or not done, but not for both', () => {
    for (const version of [1, 2]) {
      const model = acknowledged('a', 1);
      model.begin('a', 2);
      expect(judge(model, [['a', versionOf(version)]])).toEqual([]);
      // Once the state is known, it must not change any more.
      expect(judge(model, [['a', versionOf(3 - version)]])).toEqual([`a is ${3 - version}, expected ${version}`]);
    }
  });

  it('sees a mixture of two versions, a body that was cut off, and the vector of another version', () => {
    const mixture = { ...versionOf(2), contentMd: versionOf(1).contentMd };
    expect(judge(acknowledged('a', 1, 2), [['a', mixture]])).toEqual([
      expect.stringContaining('a is no version that was written'),
    ]);
    const version = versionOf(5);
    expect(recognize({ ...version, contentMd: version.contentMd.slice(0, -1) })).toBeUndefined();
    expect(recognize({ ...version, vectors: versionOf(6).vectors })).toBeUndefined();
    expect(recognize(version)).toBe(5);
  });

  it('sees that a refused write happened all the same', () => {
    const model = acknowledged('a', 1);
    model.begin('a', 2);
    model.refuse('a', 2);
    expect(judge(model, [['a', versionOf(2)]])).toEqual(['a is 2, expected 1']);
  });
});
