import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MAIN, ROOT } from '../../testkit/docs-process.ts';

const root = process.getuid?.() === 0;
/** A user id without an account; a test that runs as root uses it as an ordinary user. */
const ORDINARY = 64_322;
/** Long, because processes are started. */
const TIME = { timeout: 120_000 };
const SECRET = 'a-secret-that-nobody-else-may-read';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

interface As {
  readonly uid?: number;
  readonly gid?: number;
}
const ordinary: As = root ? { uid: ORDINARY, gid: ORDINARY } : {};
/** A checkout may be accessible to its owner only. */
const canRun = spawnSync(process.execPath, [MAIN, '--version'], { cwd: ROOT, ...ordinary }).status === 0;
const users: readonly (readonly [string, As])[] = [...(root ? [['root', {}] as const] : []),
  ...(canRun ? [['an ordinary user', ordinary] as const] : [])];

/** Starts a program with a secret, and waits until it has written something. */
async function started(args: readonly string[], as: As, said: string,
  env: Readonly<Record<string, string>> = {}): Promise<{ child: ChildProcess; text(): string }>
{
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], API_TOKEN: SECRET, PLAIN: 'plain', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...as,
  });
  cleanups.push(() => child.kill('SIGKILL'));
  let text = '';
  const found = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(said)) found.resolve();
    });
  }
  await Promise.race([found.promise, once(child, 'close').then(() => Promise.reject(new Error(`ended:\n${text}`)))]);
  return { child, text: () => text };
}

/** What another process of the same user can read of this one. */
async function spy(child: ChildProcess, as: As): Promise<string> {
  const reader = spawn('/bin/sh', ['-c',
    `cat /proc/${child.pid}/environ; dd if=/proc/${child.pid}/mem count=0 2>/dev/null && echo OPEN`], {
    stdio: ['ignore', 'pipe', 'ignore'],
    ...as,
  });
  let text = '';
  reader.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(reader, 'close');
  return text;
}

describe.skipIf(process.platform !== 'linux').each(users)('a process of %s that is hardened', TIME, (name, as) => {
  it('shows its secrets to no other process, and inherits none; it has them itself', async () => {
    const program = `
      import { execFileSync } from 'node:child_process';
      import { sealProcess } from '${new URL('./index.ts', import.meta.url).href}';
      const { env, problems } = await sealProcess();
      const dumpable = (await import('koffi')).default.load(null).func('prctl', 'int', ['int', 'unsigned long', 'unsigned long', 'unsigned long', 'unsigned long'])(3, 0, 0, 0, 0); // PR_GET_DUMPABLE
      console.log(JSON.stringify({ own: env.API_TOKEN, plain: process.env.PLAIN, left: process.env.API_TOKEN, child: execFileSync('/usr/bin/env').toString(), dumpable, problems }));
      setInterval(() => {}, 1000);`;
    const { child, text } = await started(['--input-type=module', '-e', program], as, 'problems');
    const said = JSON.parse(text()) as { own: string; plain: string; left?: string; child: string; problems: string[] };
    expect(said).toMatchObject({ own: SECRET, plain: 'plain', dumpable: 0, problems: [] });
    expect(said.left).toBeUndefined();
    expect(said.child).toContain('PLAIN=plain');
    expect(said.child).not.toContain(SECRET);
    const seen = await spy(child, as);
    expect(seen).not.toContain(SECRET);
    if (name !== 'root') expect(seen).toBe(''); // root may read everything
    expect(/^[\0]*$/.test(readFileSync(`/proc/${child.pid}/environ`, 'latin1')) || !root).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux').each(users)('as %s', TIME, (_name, as) => {
  const folderFor = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-sealed-'));
    chmodSync(folder, 0o777);
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  it('the run-queue service shows its secrets to no other process of its user, and knows them', async () => {
    const folder = folderFor();
    const config = join(folder, 'runs.yaml');
    writeFileSync(config, `listen: 127.0.0.1:0\ndata_dir: ${folder}/data\nruntime: {api_token_env: API_TOKEN}\n`);
    const { child, text } = await started([MAIN, 'runs', '--config', config], as, 'listening on');
    expect(await spy(child, as)).not.toContain(SECRET);
    const [, url] = /listening on (\S+)/.exec(text())!;
    const asked = await fetch(`${url}/api/v1/runs`, { headers: { authorization: `Bearer ${SECRET}` } });
    expect(asked.status).toBe(200);
  });

  it('the document service shows its secrets to no other process of its user, and knows them', async () => {
    const folder = folderFor();
    const { child, text } = await started([MAIN, 'docs', '--http-addr', '127.0.0.1:0', '--db',
      join(folder, 'quire.db')], as, 'listening on', {
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: SECRET,
      SVC_AUTH_ADMIN_PASSWORD: 'correct-horse-battery',
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
    });
    const seen = await spy(child, as);
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain('correct-horse');
    expect(text()).not.toContain('stays readable');
  });
});
