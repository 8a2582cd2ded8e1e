import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOM = join(import.meta.dirname, '..');

/** The beginning of a statement that sets the state of runs. */
const SETS_STATE = /\bUPDATE runs SET (?:(?!\bWHERE\b)[^`;])*?\bstate = /;

it('only one file changes the state of a run', () => {
  const files = globSync('**/*.ts', { cwd: ROOM }).filter((name) => !/\btest(-fixture)?\.ts$/.test(name));
  const changing = files.filter((name) => SETS_STATE.test(readFileSync(join(ROOM, name), 'utf8')));
  expect(changing).toEqual([join('queue', 'transitions.ts')]);
});
