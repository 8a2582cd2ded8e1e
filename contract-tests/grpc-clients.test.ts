import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { reasonToSkip } from './support/toolchains.ts';

const run = promisify(execFile);
const PYTHON_CLIENT = join(import.meta.dirname, 'clients', 'grpc_client.py');
const BUF = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin', 'buf');

/** A Python that has gRPC; the system's may have it although another precedes it in the path. */
const python = ['python3', '/usr/bin/python3'].find((command) => {
  try {
    execFileSync(command, ['-c', 'import grpc, google.protobuf'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

let server: DocsServer;
beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_AUDIT_ENABLED: 'true' } });
});
afterAll(() => server.stop());

const target = (): string => server.listeners.grpc!.url;

describe('a client in Python', () => {
  it.skipIf(python === undefined)(
    'adds, gets, updates, searches, streams and watches (skipped without grpcio for python3)',
    async () => {
      const { stdout } = await run(python!, [PYTHON_CLIENT, target()]);
      expect(stdout.trim().split('\n').map((line) => line.split(' ')[0])).toEqual(['added', 'got', 'updated', 'found',
        'refused', 'streamed', 'watched', 'exported']);
    },
  );
});

describe.each(['python', 'go'] as const)('a client in %s, generated from the .proto files', (language) => {
  const reason = reasonToSkip(language);

  it.skipIf(reason !== undefined)(
    `adds, gets, searches, and reads the audit log${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'quire-grpc-client-'));
      try {
        const script = join(import.meta.dirname, 'clients', `grpc-${language}`, 'run.sh');
        const { stdout } = await run('bash', [script, target(), folder], {
          env: { ...process.env, BUF: `${process.execPath} ${BUF}` },
          maxBuffer: 64 * 2 ** 20,
        });
        expect(stdout.trim().split('\n')).toEqual(['added Hello and Goodbye', 'got # Hello', 'filtered Hello of 1',
          'found # <mark>Hello</mark> of 1', 'refused not_found', 'audited write./v1/add']);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    30 * 60_000,
  );
});

describe('a client that knows the server by reflection only (buf curl)', () => {
  const curl = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [BUF, 'curl', '--protocol', 'grpc', '--http2-prior-knowledge',
      ...args]);
    return stdout;
  };

  it('lists the methods', async () => {
    const methods = (await curl('--list-methods', `http://${target()}`)).trim().split('\n');
    expect(methods).toContain('quire.docs.v1.DocumentDB/Add');
    expect(methods).toContain('quire.docs.v1.Replication/ReplicationStatus');
  });

  it('calls them', async () => {
    const url = (rpc: string) => `http://${target()}/quire.docs.v1.DocumentDB/${rpc}`;
    const added = JSON.parse(
      await curl('-d', '{"collection":"buf","key":"a","lang":"en","content_md":"# A"}', url('Add')),
    ) as { id: string };
    expect(added.id).toBe('buf|a|en');
    await expect(curl('-d', '{"collection":"buf"}', url('Get'))).rejects.toMatchObject({
      stderr: expect.stringContaining('missing fields: key, lang'),
    });
  });

  it('asks for the health of a service', async () => {
    const schema = join(import.meta.dirname, '..', 'node_modules', 'grpc-health-check', 'proto');
    const answer = await curl('--schema', schema, '-d', '{"service":"quire.docs.v1.DocumentDB"}',
      `http://${target()}/grpc.health.v1.Health/Check`);
    expect(JSON.parse(answer)).toEqual({ status: 'SERVING' });
  });
});
