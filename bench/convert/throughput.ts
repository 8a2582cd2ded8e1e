// Megabytes per second of large files with two workers, compared with two processes of pandoc or pdftotext.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createConverter } from '../../src/convert/index.ts';
import { median } from '../support/table.ts';
import type { LargeFile } from './generated.ts';
import { isInstalled, pandocArguments } from './pandoc.ts';

const WORKERS = 2;
const FILES = 4;
const ROUNDS = 3;

export interface ThroughputRow {
  readonly kind: string;
  readonly quire: number;
  readonly peer: number | undefined;
}

/**
 * Rounds of both alternate, because the machine's speed drifts; both sides process the same number of files at once.
 */
export async function measureThroughput(files: readonly LargeFile[]): Promise<ThroughputRow[]> {
  const converter = createConverter({ workers: WORKERS, timeoutMs: 300_000, memoryMb: 1024, maxOutput: 100_000_000 });
  try {
    const rows: ThroughputRow[] = [];
    for (const { kind, path, bytes } of files) {
      const content = readFileSync(path);
      const program = kind === 'pdf' ? 'pdftotext' : 'pandoc';
      const own = () => inParallel(() => converter.convert({ bytes: Uint8Array.from(content), name: `large.${kind}` }));
      const peer = isInstalled(program)
        ? () => inParallel(() => run(program, kind === 'pdf' ? ['-layout', path, '-'] : pandocArguments(kind, path)))
        : undefined;
      await own();
      const times: { own: number[]; peer: number[] } = { own: [], peer: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        times.own.push(await own());
        if (peer !== undefined) times.peer.push(await peer());
      }
      const speed = (seconds: readonly number[]) => (FILES * bytes) / 1e6 / median(seconds);
      rows.push({ kind, quire: speed(times.own), peer: peer === undefined ? undefined : speed(times.peer) });
    }
    return rows;
  } finally {
    await converter.close();
  }
}

/** Seconds for some files, two at a time. */
async function inParallel(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let left = FILES;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, lane));
  return (performance.now() - begun) / 1000;
}

function run(program: string, given: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });
}
