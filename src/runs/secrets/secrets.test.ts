import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testkit/runs-faults/eventually.ts';
import { SecretsFixture } from './test-fixture.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

const NODE = process.execPath;
/** A command that prints what this script writes. */
const script = (code: string): string => JSON.stringify([NODE, '-e', code]);

describe('values of secrets', () => {
  it('come from variables and files, which are read for each attempt', async () => {
    const file = join(folder, 'token');
    await writeFile(file, 'of the file\n');
    const fixture = new SecretsFixture(`secrets: [{name: A, env: VAR}, {name: B, file: ${file}}]`);
    fixture.variables['VAR'] = 'of the variable';
    expect(await fixture.values(['A', 'B'])).toEqual({ A: 'of the variable', B: 'of the file' });
    await writeFile(file, 'another\r\n');
    expect(await fixture.values(['B'])).toEqual({ B: 'another' });
  });

  it('of git are fetched with those of the steps', async () => {
    const fixture = new SecretsFixture('secrets: [{name: A, env: VAR}, {name: KEY, env: OTHER}]');
    Object.assign(fixture.variables, { VAR: 'a', OTHER: 'b' });
    const git = { token: '', username: 'git', sshKey: 'KEY', knownHosts: '', url: '' };
    expect(await fixture.values(['A'], {}, { git })).toEqual({ A: 'a', KEY: 'b' });
  });

  it('come from a command without a shell, and are kept for a while', async () => {
    const file = join(folder, 'count');
    const count = `const fs = require('fs'); fs.appendFileSync('${file}', 'x');` +
      `process.stdout.write(fs.readFileSync('${file}', 'utf8') + process.env.EXTRA + process.argv[1] + '\\n')`;
    const fixture = new SecretsFixture(
      `secrets: [{name: A, command: ${script(count).replace(/]$/, ', "$HOME;"]')}}]\nsecret_sources: {cache: 60s}`,
    );
    Object.assign(fixture.variables, { PATH: process.env['PATH'], EXTRA: '-extra-' });
    expect(await fixture.values(['A'])).toEqual({ A: 'x-extra-$HOME;' });
    fixture.clock.ms += 59_999;
    expect(await Promise.all([fixture.values(['A']), fixture.values(['A'])])).toEqual([{ A: 'x-extra-$HOME;' }, {
      A: 'x-extra-$HOME;',
    }]);
    fixture.clock.ms += 1;
    expect(await fixture.values(['A'])).toEqual({ A: 'xx-extra-$HOME;' });
  });

  it('of a changed configuration are asked for again', async () => {
    const config = (variable: string): string =>
      `secrets: [{name: A, command: ${script(`process.stdout.write(process.env.${variable})`)}}]`;
    const fixture = new SecretsFixture(config('ONE'));
    Object.assign(fixture.variables, { ONE: 'first' });
    expect(await fixture.values(['A'])).toEqual({ A: 'first' });
    fixture.variables['ONE'] = 'second';
    expect(await fixture.values(['A'])).toEqual({ A: 'first' });
    fixture.configure(config('ONE'));
    expect(await fixture.values(['A'])).toEqual({ A: 'second' });
  });
});

describe('a secret without a value', () => {
  it('is named with its source and the reason, and never with what the source has said', async () => {
    const large = join(folder, 'large');
    await writeFile(large, 'x'.repeat(65_537));
    await writeFile(join(folder, 'binary'), Buffer.from([0xff, 0xfe]));
    await writeFile(join(folder, 'nul'), 'a\0b');
    await writeFile(join(folder, 'empty'), '\n');
    const fixture = new SecretsFixture(`secrets:
  - {name: UNSET, env: VAR}
  - {name: GONE, file: ${folder}/none}
  - {name: FOLDER, file: ${folder}}
  - {name: LARGE, file: ${large}}
  - {name: BINARY, file: ${folder}/binary}
  - {name: NUL, file: ${folder}/nul}
  - {name: EMPTY, file: ${folder}/empty}
  - {name: FAILS, command: ${script('console.log("hush"); console.error("hush"); process.exit(3)')}}
  - {name: NOPROGRAM, command: [${folder}/program]}
  - {name: FLOOD, command: ${script('process.stdout.write("x".repeat(1e6))')}}`);
    const why = async (name: string): Promise<string> => {
      const message = await fixture.why([name]);
      expect(message).not.toContain('hush');
      return message;
    };
    expect(await why('UNSET')).toContain('the service has no value for the secret UNSET: set the variables');
    expect(await why('OTHER')).toBe('the secret OTHER is not available: the configuration has no such secret');
    expect(await why('GONE')).toBe(`the secret GONE is not available: the file ${folder}/none cannot be read (ENOENT)`);
    expect(await why('FOLDER')).toContain('is not a file');
    expect(await why('LARGE')).toContain('has more than 65536 bytes');
    expect(await why('BINARY')).toContain('is not UTF-8');
    expect(await why('NUL')).toContain('its value has a NUL');
    expect(await why('EMPTY')).toContain('its source has no value');
    expect(await why('FAILS')).toContain('failed with the status 3');
    expect(await why('NOPROGRAM')).toContain('cannot be started (ENOENT)');
    expect(await why('FLOOD')).toContain('printed more than 65536 bytes');
    expect(await fixture.why(['GONE', 'UNSET'])).toMatch(/UNSET: set .*; the secret GONE is not available/);
  });

  it('is not waited for longer than the timeout, and what its command has started is killed', async () => {
    const pids = join(folder, 'pids');
    const sleeper = `const { spawn } = require('child_process');` +
      `const child = spawn('sleep', ['1000']); require('fs').writeFileSync('${pids}', process.pid + ' ' + child.pid);`;
    const fixture = new SecretsFixture(`secrets: [{name: A, command: ${script(sleeper)}}]`);
    fixture.variables['PATH'] = process.env['PATH'];
    const why = fixture.why(['A']);
    const started = await eventually('the command has started', async () => {
      const found = (await readFile(pids, 'utf8').catch(() => '')).split(' ').map(Number);
      return found.length === 2 ? found : undefined;
    });
    await fixture.timer.elapse();
    expect(await why).toBe('the secret A is not available: its source (command) had no answer within 5 s');
    await eventually('both are gone', () => started.every((pid) => !isAlive(pid)) || undefined);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a secret for some projects and events', () => {
  const open = (): SecretsFixture => {
    const fixture = new SecretsFixture(`secrets:
  - {name: OURS, env: VAR, projects: [alpha]}
  - {name: NIGHTLY, env: VAR, events: [schedule]}
  - {name: BY_HAND, env: VAR, events: [manual, alert]}`);
    fixture.variables['VAR'] = 'value';
    return fixture;
  };

  it('is refused to runs of other projects', async () => {
    const fixture = open();
    expect(await fixture.values(['OURS'])).toEqual({ OURS: 'value' });
    expect(await fixture.why(['OURS'], { projectId: 'beta' })).toBe(
      'the secret OURS is not available: it is not for the project beta',
    );
  });

  it('is refused to runs of other events', async () => {
    const fixture = open();
    expect(await fixture.values(['NIGHTLY'], { source: 'schedule' })).toEqual({ NIGHTLY: 'value' });
    expect(await fixture.why(['NIGHTLY'])).toBe(
      'the secret NIGHTLY is not available: it is not for runs of the event manual',
    );
    expect(await fixture.values(['BY_HAND'])).toEqual({ BY_HAND: 'value' });
    expect(await fixture.values(['BY_HAND'], { source: 'alert' })).toEqual({ BY_HAND: 'value' });
    expect(await fixture.why(['BY_HAND'], { source: 'schedule' })).toContain('not for runs of the event schedule');
  });

  it('is given to a retry by what the first run was, not by who retries it', async () => {
    const fixture = open();
    fixture.runs.set('first', { id: 'first', source: 'schedule', rootId: 'first', parentId: null });
    fixture.runs.set('again', { id: 'again', source: 'retry', rootId: 'first', parentId: null });
    const retry = { id: 'third', source: 'retry', rootId: 'first' } as const;
    expect(await fixture.values(['NIGHTLY'], retry)).toEqual({ NIGHTLY: 'value' });
    expect(await fixture.why(['BY_HAND'], retry)).toContain('not for runs of the event schedule');
    // A cell of a retried matrix.
    const cell = { id: 'cell', source: 'retry', rootId: 'cell', parentId: 'again' } as const;
    expect(await fixture.values(['NIGHTLY'], cell)).toEqual({ NIGHTLY: 'value' });
    fixture.runs.delete('first');
    expect(await fixture.why(['NIGHTLY'], retry)).toContain('the run that this one repeats is no longer stored');
  });
});
