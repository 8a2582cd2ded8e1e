// `node src/testkit/formats/record.ts [CHECKOUT]` records what a service stores, for the test that every later version can open it. Run it
// when a migration has been added. With the checkout of an older version, it records the format of that version.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keepRecording } from './recording.ts';
import { SETTINGS, STORY, type Step } from './story.ts';

const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..', '..'));

/** Starts the service of the checkout over `database`, does `work` with its address, and stops it gracefully. */
async function withService(database: string, work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [join(checkout, 'src', 'app', 'main.ts'), 'docs', '--db', database, '--http-addr', '127.0.0.1:0'], {
    cwd: checkout,
    env: { PATH: process.env['PATH'], SVC_GRPC_ADDR: '127.0.0.1:0', SVC_MCP_ADDR: '127.0.0.1:0', ...SETTINGS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  const url = new Promise<string>((found) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const address = /listening on (http:\/\/\S+)/.exec(said)?.[1];
        if (address !== undefined) found(address);
      });
    }
  });
  try {
    const early = ended.then(() => {
      throw new Error(`the service of ${checkout} did not start:\n${said}`);
    });
    await work(await Promise.race([url, early]));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function send(url: string, { method, path, body }: Step): Promise<void> {
  const response = await fetch(url + path, { method: method ?? 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

function formatOf(database: string): number {
  const opened = new DatabaseSync(database, { readOnly: true });
  const { format } = opened.prepare('SELECT max(version) AS format FROM schema_version').get() as { format: number };
  opened.close();
  return format;
}

const folder = await mkdtemp(join(tmpdir(), 'quire-format-'));
const database = join(folder, 'quire.db');
try {
  await withService(database, () => Promise.resolve());
  const format = formatOf(database);
  await withService(database, async (url) => {
    for (const step of STORY.filter(({ since }) => since <= format)) await send(url, step);
  });
  console.log(`format ${format} recorded: ${await keepRecording(format, folder)} bytes`);
} finally {
  await rm(folder, { recursive: true });
}
