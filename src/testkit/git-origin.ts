import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A repository with two commits on `main`, a branch `feature/x` and the tags `v1` (lightweight) and `v2` (annotated).
 */
export class Origin {
  readonly folder: string;
  readonly url: string;
  readonly commits: Readonly<Record<'one' | 'two' | 'feature', string>>;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'quire-origin-'));
    this.url = `file://${this.path}`;
    mkdirSync(this.path);
    this.git('init', '--quiet', '--initial-branch=main');
    const one = this.commit('one');
    this.git('tag', 'v1');
    const two = this.commit('two');
    this.git('tag', '-a', '-m', 'two', 'v2');
    this.git('checkout', '--quiet', '-b', 'feature/x', 'v1');
    const feature = this.commit('feature');
    this.git('checkout', '--quiet', 'main');
    this.commits = { one, two, feature };
  }

  get path(): string {
    return join(this.folder, 'origin');
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.path, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  }

  /** Commits a file with this text; returns the commit's hash. */
  commit(text: string, file = 'file.txt'): string {
    writeFileSync(join(this.path, file), text);
    this.git('add', '.');
    this.git('commit', '--quiet', '-m', text);
    return this.git('rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Serves the repositories below a folder over HTTP to clients that know the password. `head`: what it claims to be the
 * target of HEAD in the place of `refs/heads/main`, as a hostile server may.
 */
export async function serveGit(folder: string, password: string,
  head?: string): Promise<{ readonly url: string; readonly asked: string[]; stop(): void }>
{
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [, given = ''] = (request.headers.authorization ?? '').split(' ');
    asked.push(Buffer.from(given, 'base64').toString());
    if (asked.at(-1)!.split(':')[1] === password) return backend(folder, request, response, head);
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' });
    return response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop: () => void server.close() };
}

function backend(folder: string, request: IncomingMessage, response: ServerResponse, head: string | undefined): void {
  const { pathname, search } = new URL(request.url!, 'http://localhost');
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: (request.headers['git-protocol'] as string | undefined) ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = withHead(Buffer.concat(chunks), head);
    const end = output.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      output.subarray(0, end).toString().split('\r\n').map((line) => line.split(': ') as [string, string]),
    );
    response.writeHead(Number.parseInt(headers['Status'] ?? '200', 10), headers).end(output.subarray(end + 4));
  });
}

/** A line of the protocol begins with its own length in hexadecimal (gitprotocol-common(5)). */
function withHead(output: Buffer, head: string | undefined): Buffer {
  if (head === undefined) return output;
  const changed = output.toString('latin1').replace(/[0-9a-f]{4}([0-9a-f]{40} HEAD symref-target:)refs\/heads\/main\n/,
    (_, line: string) => {
      const text = `${line}${head}\n`;
      return `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
    });
  return Buffer.from(changed, 'latin1');
}
