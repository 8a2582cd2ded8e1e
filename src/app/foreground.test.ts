import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { ServiceError } from '../errors/index.ts';
import { ConfigError } from '../lib/setting-values.ts';
import { namingSetting } from './foreground.ts';

let child: ChildProcess | undefined;

afterEach(() => void child?.kill('SIGKILL'));

const MODULE = new URL('foreground.ts', import.meta.url).href;

/**
 * Runs a service whose stop never ends, and sends it each signal as soon as it has printed a line about the one before.
 * Returns its exit code and lines.
 */
async function endOf(signals: readonly NodeJS.Signals[],
  service: string): Promise<{ code: number | null; lines: string[] }>
{
  // The interval stands for what a service has open.
  const script = `import { runInForeground } from ${JSON.stringify(MODULE)};
    await runInForeground(async () => { setInterval(() => {}, 60_000); console.error('started'); return { ${service} }; });`;
  const started = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = started;
  let text = '';
  let sent = 0;
  started.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (; sent < signals.length && text.split('\n').length - 1 > sent; sent += 1) started.kill(signals[sent]!);
  });
  const [code] = (await once(started, 'close')) as [number | null];
  return { code, lines: text.trimEnd().split('\n') };
}

const STOP = "stop: () => { console.error('stops'); return new Promise(() => {}); }";
const HURRY = "hurry: () => console.error('hurries')";

it.each([['SIGTERM', 'SIGTERM'], ['SIGTERM', 'SIGINT'], ['SIGINT', 'SIGTERM']] as const)(
  'a service that stops on %s ends at once on %s, and says so',
  async (first, second) => {
    expect(await endOf([first, second], STOP)).toEqual({
      code: 1,
      lines: ['started', 'stops',
        `${second} while the service stops: the process ends at once, and what is in progress is lost`],
    });
  },
);

it.each([['SIGTERM', 'SIGINT', 'SIGTERM'], ['SIGINT', 'SIGINT', 'SIGTERM']] as const)(
  'a service that can hurry does so on the second signal, and ends on the third: %s, %s, %s',
  async (first, second, third) => {
    const { code, lines } = await endOf([first, second, third], `${STOP}, ${HURRY}`);
    expect([code, ...lines.slice(0, 3)]).toEqual([1, 'started', 'stops',
      `${second} while the service stops: it no longer waits for what is in progress, and another signal ends the ` +
      'process at once']);
    expect(lines.at(-1)).toBe(
      `${third} while the service stops: the process ends at once, and what is in progress is lost`,
    );
  },
);

const failing = (error: unknown) => namingSetting('SVC_PATH', () => Promise.reject(error));

it('puts the setting before reasons of the machine and of the database', async () => {
  await expect(failing(new ServiceError('unavailable', 'in use'))).rejects.toMatchObject({
    code: 'unavailable',
    message: 'SVC_PATH: in use',
  });
  await expect(failing(new Error('address taken', { cause: 'EADDRINUSE' }))).rejects.toThrow(
    /^SVC_PATH: address taken$/,
  );
  await expect(namingSetting('data_dir', () => mkdirSync(import.meta.filename))).rejects.toThrow(/^data_dir: EEXIST/);
});

it('leaves results, faults of the program and invalid settings as they are', async () => {
  expect(await namingSetting('SVC_PATH', () => 1)).toBe(1);
  for (const error of [new TypeError('x is not a function'), new ConfigError(['a: wrong', 'b: wrong'])])
    await expect(failing(error)).rejects.toBe(error);
});
