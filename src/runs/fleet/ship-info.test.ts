import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOlder } from './ship-info.ts';

describe('versions', () => {
  it('are ordered by their numbers, and a pre-release comes before its release', () => {
    const ordered = ['0.0.1', '0.0.2', '0.1.0', '0.10.0', '1.0.0-rc.1', '1.0.0', '1.0.1', '2.0.0', '10.0.0'];
    for (const [index, version] of ordered.entries()) {
      for (const [other, than] of ordered.entries())
        expect(isOlder(version, than), `${version} < ${than}`).toBe(index < other);
    }
  });

  it('that are none come before all, and a minimum that is none lets all in', () => {
    for (const none of ['', 'dev', '1', '1.2', 'v1.2.3', '1.2.3.4', ' 1.2.3'])
      expect(isOlder(none, '0.0.0')).toBe(true);
    expect(isOlder('1.0.0', '')).toBe(false);
    expect(isOlder('1.0.0+build.5', '1.0.0')).toBe(false);
  });

  it('compare as their numbers do', () => {
    const version = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20));
    fc.assert(fc.property(version, version, (one, other) => {
      const [a, b] = [one, other].map(([major, minor, patch]) => (major * 100 + minor) * 100 + patch) as [number,
        number];
      expect(isOlder(one.join('.'), other.join('.'))).toBe(a < b);
    }));
  });
});
