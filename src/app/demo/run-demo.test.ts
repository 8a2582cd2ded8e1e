import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sink } from '../../testkit/commands/run-command.ts';
import { runDemo } from './run-demo.ts';

let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'quire-demo-test-'));
});

afterEach(() => rm(temporary, { recursive: true }));

function demo(controller: AbortController, onOutput: (text: string) => void = () => undefined) {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const write = stdout._write.bind(stdout);
  stdout._write = (chunk: Buffer, encoding, done) => {
    onOutput(chunk.toString());
    write(chunk, encoding, done);
  };
  const io = { stdin: Readable.from([]), stdout, stderr, setExitCode: (code: number) => expect(code).toBe(130) };
  const root = join(import.meta.dirname, '../../..');
  const ended = runDemo({
    root,
    env: { ...process.env, QUIRE_DEMO_CORPUS: temporary },
    temporary,
    io,
    signal: controller.signal,
  });
  return { stdout, stderr, ended };
}

describe('the demo', () => {
  it('imports its documents into a real service, asks its questions, and leaves nothing behind', async () => {
    const { stdout, stderr, ended } = demo(new AbortController());
    await ended;
    // A slow machine sees progress.
    expect(stderr.text).toMatch(/^(?:\d+%, \d+ documents, .*\n)*$/);
    expect(stdout.text).toContain('imported 106 documents into collection docs');
    expect(stdout.text).toContain('106 documents, 106 revisions');
    expect(stdout.text).toContain('fastify/guides/plugins-guide');
    expect(stdout.text).toContain('ends "…This sentence was added by the demo."');
    expect(stdout.text).toContain('the original again, byte for byte');
    expect(await readdir(temporary)).toEqual([]);
    const url = /listens on (http:\S+),/.exec(stdout.text)![1]!;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const controller = new AbortController();
    const { ended } = demo(controller, (text) => {
      if (text.includes('Importing')) controller.abort();
    });
    await expect(ended).rejects.toThrow('interrupted');
    expect(await readdir(temporary)).toEqual([]);
  });
});
