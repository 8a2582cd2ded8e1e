// `node src/testkit/formats/record.ts` records what a service stores, for the test that every later version can open
// it. Run it when a migration has been added.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCUMENT_MIGRATIONS } from '../../storage/index.ts';
import { RecordedProgram } from './recorded-program.ts';
import { keepRecording } from './recording.ts';
import { SETTINGS, type Step, STORY } from './story.ts';

/**
 * Checkpoints of views of the encrypted collection do not compress, so they are left out; a view without one is rebuilt
 * from the database.
 */
const LEFT_OUT = /\/secrets\.idx$|\.lock$/;

/** Starts the service over `database`, does `work` with its address, and stops it gracefully. */
async function withService(database: string, work: (url: string) => Promise<void>): Promise<void> {
  const service = new RecordedProgram(['docs', '--db', database, '--http-addr', '127.0.0.1:0'], {
    SVC_GRPC_ADDR: '127.0.0.1:0',
    SVC_MCP_ADDR: '127.0.0.1:0',
    ...SETTINGS,
  });
  try {
    await work((await service.wrote(/listening on (http:\/\/\S+)/))[1]!);
  } finally {
    await service.end('SIGTERM');
  }
}

async function send(url: string, { method, path, body }: Step): Promise<void> {
  const response = await fetch(url + path, {
    method: method ?? 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

const folder = await mkdtemp(join(tmpdir(), 'quire-format-'));
const database = join(folder, 'quire.db');
try {
  await withService(database, async (url) => {
    for (const step of STORY) await send(url, step);
  });
  const format = DOCUMENT_MIGRATIONS.length;
  console.log(`format ${format} recorded: ${await keepRecording('documents', format, folder, LEFT_OUT)} bytes`);
} finally {
  await rm(folder, { recursive: true });
}
