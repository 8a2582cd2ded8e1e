import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { LogLimitsSchema } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { Masker } from '../mask/masker.ts';
import type { OutputLine, OutputSink } from '../port.ts';
import { RunOutput } from './run-output.ts';

const clock = { now: () => 1000 };

function setUp(limits: { maxLine?: number } = {}, secrets: string[] = []) {
  const lines: OutputLine[] = [];
  const sink: OutputSink = { write: (line) => void lines.push(line) };
  return {
    lines,
    output: new RunOutput({ limits: create(LogLimitsSchema, limits), masker: new Masker(secrets), sink, clock }),
  };
}

describe('RunOutput', () => {
  it('hands on lines with their stream and step, and notes of the ship', async () => {
    const { lines, output } = setUp();
    const writer = output.writer('stderr', 'build');
    await writer.write(Buffer.from('a\nb'));
    await output.note('warn', 'one\ntwo');
    await writer.end();
    expect(lines).toEqual([{ unixMs: 1000, level: 'info', stream: 'stderr', step: 'build', message: 'a' }, {
      unixMs: 1000,
      level: 'warn',
      stream: 'system',
      step: null,
      message: 'one',
    }, { unixMs: 1000, level: 'warn', stream: 'system', step: null, message: 'two' }, {
      unixMs: 1000,
      level: 'info',
      stream: 'stderr',
      step: 'build',
      message: 'b',
    }]);
  });

  it('never shows a secret that is split across chunks and across a cut of a long line', async () => {
    const { lines, output } = setUp({ maxLine: 16 }, ['hunter2hunter2']);
    const writer = output.writer('stdout', null);
    for (const char of '0123456789 hunter2hunter2 after') await writer.write(Buffer.from(char));
    await writer.end();
    expect(lines.map(({ message }) => message).join('')).toBe('0123456789 *** after');
  });

  it('waits for the sink', async () => {
    const room = Promise.withResolvers<void>();
    const output = new RunOutput({
      limits: undefined,
      masker: new Masker([]),
      sink: { write: () => room.promise },
      clock,
    });
    let written = false;
    const writing = output.writer('stdout', null).write(Buffer.from('a\n')).then(() => {
      written = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(false);
    room.resolve();
    await writing;
    expect(written).toBe(true);
  });

  it('remembers a failure of the sink, and writes no more', async () => {
    let calls = 0;
    const output = new RunOutput({
      limits: undefined,
      masker: new Masker([]),
      clock,
      sink: { write: () => (calls++ === 0 ? undefined : Promise.reject(new Error('disk full'))) },
    });
    const writer = output.writer('stdout', null);
    await writer.write(Buffer.from('a\nb\nc\nd\n'));
    expect(output.failure?.error).toEqual(new Error('disk full'));
    expect(calls).toBe(2);
  });
});
