// `npm run demo`: a document service, a real corpus, and some questions.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../commands/shared/command-error.ts';
import { processIo, untilInterrupted } from '../commands/shared/io.ts';
import { runDemo } from './run-demo.ts';

// A second Ctrl-C must not end the process during the clean-up after the first one.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined);

const root = join(import.meta.dirname, '../../..');
await runCommand('demo', processIo,
  () => untilInterrupted((signal) => runDemo({ root, env: process.env, temporary: tmpdir(), io: processIo, signal })));
