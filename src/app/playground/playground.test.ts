import { afterAll, beforeAll, expect, it } from 'vitest';
import { runQuire, Sink } from '../../testkit/commands/run-command.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import type { Io } from '../commands/shared/io.ts';
import { fillPlayground } from './playground.ts';

let server: DocsServer;
let said: Sink;

beforeAll(async () => {
  server = await startDocsServer();
  said = new Sink();
  const io: Io = { stdin: process.stdin, stdout: said, stderr: new Sink(), setExitCode: () => undefined };
  await fillPlayground(server.url, io, new AbortController().signal);
  // Existing data stays unchanged.
  await fillPlayground(server.url, io, new AbortController().signal);
});
afterAll(() => server.stop());

it('fills a service with documents, places, revisions and code', async () => {
  const { stdout } = await runQuire(['collections', 'list', '--json', '--url', server.url]);
  const count = Object.fromEntries(
    (JSON.parse(stdout) as { name: string; documentCount: number; revisionCount: number }[]).map((
      { name, documentCount, revisionCount },
    ) => [name, [documentCount, revisionCount]]),
  );
  expect(count).toMatchObject({ handbook: [106, 106], notes: [5, 11] });
  expect(count['places']![0]).toBeGreaterThan(100);
  expect(count['code']![0]).toBeGreaterThan(30);
});

it('names commands that work', async () => {
  const commands = said.text.split('\n').filter((line) => line.includes(' --url ')).map((line) =>
    line.trim().replace(/^(?:npm run quire --|quire) /, '').split(' ')
  );
  expect(commands.length).toBeGreaterThan(5);
  for (const args of commands) {
    const { exitCode, stdout, stderr } = await runQuire(args);
    expect(exitCode, stderr).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(3);
  }
});
