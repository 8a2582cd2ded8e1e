import { describe, expect, it } from 'vitest';
import { fillTemplate, MAX_FILLED } from './get-document.ts';

describe('fillTemplate (contract section 4, decision D-65)', () => {
  it.each([['%%a%% and %%b%%', '1 and 2'], ['%%a%%%%b%%', '12'], ['%%A%% %%c%% %% %%%%', '%%A%% %%c%% %% %%%%'], [
    '100%% of a%%',
    '100%% of a%%',
  ], ['%%__proto__%% %%constructor%%', '%%__proto__%% %%constructor%%'], ['%%with space%%', 'yes'], ['%%loop%%',
    '%%a%%'], ['', ''], ['Save 50%% now, %%a%%!', 'Save 50%% now, 1!'], ['%%c%%a%%b%%', '%%c1b%%'], ['%%c%%%%a%%',
    '%%c%%1'], ['50%%%a%%% off', '50%1% off'], ['%%\n%%a%%', '%%\n1']])('%j becomes %j', (text, expected) => {
      expect(fillTemplate(text, { a: '1', b: '2', 'with space': 'yes', loop: '%%a%%' })).toBe(expected);
    });

  it('takes values as they are', () => {
    expect(fillTemplate('%%a%%', { a: "$1 $& $'" })).toBe("$1 $& $'");
  });

  it('refuses to blow up', () => {
    const value = 'x'.repeat(65_536);
    const times = MAX_FILLED / value.length + 2;
    expect(() => fillTemplate('%%a%%'.repeat(times), { a: value })).toThrow('env makes the body longer');
  });
});
