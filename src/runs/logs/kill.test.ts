import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunRef } from '../queue/port.ts';
import { lines, LogFixture } from './test-fixture.ts';

const ROUNDS = Number(process.env['QUIRE_CRASH_ROUNDS'] ?? 2);
const WRITER = join(import.meta.dirname, '..', '..', 'testkit', 'runs-log-writer.ts');

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-logs-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Starts a writing process, kills it while it writes, and returns what was acknowledged. */
async function writeUntilKilled(path: string, ref: RunRef, acknowledgements: number): Promise<number> {
  const writer = spawn(process.execPath, [WRITER, path, ref.runId], { stdio: ['ignore', 'pipe', 'inherit'] });
  child = writer;
  let text = '';
  writer.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.split('\n').length > acknowledgements) writer.kill('SIGKILL');
  });
  const [, signal] = (await once(writer, 'close')) as [unknown, string];
  expect(signal).toBe('SIGKILL');
  return Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
}

it('what was acknowledged to a ship survives the death of the server, and a log is never torn', async () => {
  const path = join(folder, 'runs.db');
  let fixture = await LogFixture.open({}, { path });
  const ref = await fixture.newRun();
  for (let round = 0; round < ROUNDS; round++) {
    await fixture.close();
    const acknowledged = await writeUntilKilled(path, ref, 5 + round * 11);
    fixture = await LogFixture.open({}, { path });
    const next = await fixture.logs.nextSeq(ref.runId, 1);
    expect(next).toBeGreaterThanOrEqual(acknowledged);
    expect((await fixture.read(ref)).messages).toEqual(lines(next).map(({ message }) => message));
    expect(fixture.logs.totalBytes()).toBe(await fixture.chunkBytes());
  }
  await fixture.close();
});
