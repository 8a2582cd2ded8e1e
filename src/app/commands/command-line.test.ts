import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CommandInput, runQuire, Sink } from '../../testkit/commands/run-command.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { mergedText } from './documents/edit.ts';
import { createProgram, ENTRIES } from './program.ts';

const execute = promisify(execFile);
const MAIN = join(import.meta.dirname, '../main.ts');
const PASSWORD = 'correct horse battery';

let server: DocsServer;
let folder: string;
const before = { ...process.env };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-command-line-'));
  process.env['XDG_CONFIG_HOME'] = join(folder, 'config');
  server = await startDocsServer({
    passwordCost: 4,
    env: {
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 's'.repeat(32),
      SVC_AUTH_ADMIN_PASSWORD: PASSWORD,
      SVC_AUDIT_ENABLED: 'true',
    },
  });
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`);
  expect(await runQuire(['login', server.url, '--user', 'admin', '--password-file', join(folder, 'password')]))
    .toMatchObject({ exitCode: 0 });
});
afterAll(async () => {
  process.env = before;
  await server.stop();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  for (const name of ['QUIRE_URL', 'QUIRE_TOKEN', 'QUIRE_API_KEY', 'QUIRE_PROFILE', 'QUIRE_PASSWORD', 'VISUAL'])
    delete process.env[name];
});

/** Standard output of a command that must succeed. */
async function quire(args: readonly string[], input?: CommandInput): Promise<string> {
  const run = await runQuire(args, input);
  expect(run.exitCode, run.stderr).toBe(0);
  return run.stdout;
}
const json = async (...args: string[]): Promise<unknown> => JSON.parse(await quire([...args, '--json'])) as unknown;
const profilesFile = () => join(folder, 'config/quire/profiles.json');

describe('profiles', () => {
  it('are kept for their user alone', async () => {
    expect((await stat(profilesFile())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'config/quire'))).mode & 0o777).toBe(0o700);
    expect(await readFile(profilesFile(), 'utf8')).not.toContain(PASSWORD);
  });

  it('are listed without their credentials, chosen and forgotten', async () => {
    await quire(['login', server.url, '--profile', 'second', '--user', 'admin', '--password-file', '-', '--keep'], {
      stdin: PASSWORD,
    });
    const listed = await quire(['profiles']);
    expect(listed).toMatch(/^second +yes +http.* admin +API key/m);
    expect(await json('profiles')).toMatchObject([{ name: 'default', current: false }, {
      name: 'second',
      current: true,
    }]);
    expect(await json('--profile', 'second', 'keys', 'list')).toHaveLength(1);
    await quire(['profiles', 'default']);
    await quire(['logout', '--profile', 'second']);
    expect(await json('profiles')).toMatchObject([{ name: 'default', current: true }]);
    // The key was deleted with the profile for which it was created.
    expect(await json('keys', 'list')).toEqual([]);
  });

  it('are forgotten with their session', async () => {
    await quire(['login', server.url, '--profile', 'third', '--user', 'admin', '--password-file', '-'], {
      stdin: PASSWORD,
    });
    const { token } =
      (JSON.parse(await readFile(profilesFile(), 'utf8')) as { profiles: { third: { token: string } } }).profiles.third;
    expect((await runQuire(['whoami', '--url', server.url, '--token', token])).exitCode).toBe(0);
    expect(await quire(['logout', '--profile', 'third'])).toContain('forgot profile third');
    expect((await runQuire(['whoami', '--url', server.url, '--token', token])).exitCode).toBe(4);
    await quire(['profiles', 'default']);
  });

  it('show their credential to their own server alone', async () => {
    const other = server.url.replace('127.0.0.1', 'localhost');
    expect(await runQuire(['whoami', '--url', other])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('quire -- login') as string,
    });
    expect(await quire(['whoami'])).toContain('username');
  });

  it('give way to options and to the environment', async () => {
    process.env['QUIRE_TOKEN'] = 'wrong';
    expect((await runQuire(['whoami'])).exitCode).toBe(4);
    expect((await runQuire(['whoami', '--profile', 'default'])).exitCode).toBe(0);
    process.env['QUIRE_URL'] = 'http://127.0.0.1:1';
    expect(await runQuire(['whoami'])).toMatchObject({
      exitCode: 6,
      stderr: expect.stringMatching(/cannot reach http:\/\/127.0.0.1:1: is it running\?/) as string,
    });
  });

  it('name those that there are', async () => {
    expect(await runQuire(['whoami', '--profile', 'nobody'])).toMatchObject({
      exitCode: 1,
      stderr: 'quire whoami: there is no profile "nobody": there are default\n',
    });
  });

  it('say when their sign-in has ended', async () => {
    const text = await readFile(profilesFile(), 'utf8');
    await writeFile(profilesFile(), text.replace(/"expiresAt": \d+/, '"expiresAt": 1000'));
    expect(await runQuire(['whoami'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has ended: sign in again') as string,
    });
    await writeFile(profilesFile(), text);
  });

  it('are not made with a wrong password, or without one', async () => {
    expect((await runQuire(['login', server.url, '--profile', 'x', '--user', 'admin', '--password-file', '-'], {
      stdin: 'wrong',
    })).exitCode).toBe(4);
    expect(await runQuire(['login', server.url, '--profile', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('name one with --user') as string,
    });
    expect(await json('profiles')).toHaveLength(1);
  });
});

describe('documents', () => {
  it('are added, read, listed and deleted', async () => {
    expect(await quire(['add', 'blog', 'hello', '-'], { stdin: '---\ntitle: Hello\ntags: [a, b]\n---\n# Hello\n' }))
      .toBe('hello\n');
    expect(await quire(['get', 'blog', 'hello'])).toBe('# Hello\n');
    expect(await quire(['get', 'blog', 'hello', '--front-matter'])).toContain('title: "Hello"');
    expect(await json('get', 'blog', 'hello')).toMatchObject({ meta: { title: ['Hello'], tags: ['a', 'b'] } });
    await quire(['add', 'blog', 'second', '-', '--meta', 'title=Second', '--meta', 'tags=b'], { stdin: 'Two' });
    expect(await quire(['list', 'blog'])).toMatch(
      /^key +title +updated +tags\n.*\nhello +Hello .* a, b\nsecond +Second/,
    );
    expect(
      (await quire(['list', 'blog', '--ndjson', '--fields', 'title'])).trim().split('\n').map((line) =>
        (JSON.parse(line) as { key: string }).key
      ),
    ).toEqual(['hello', 'second']);
    expect(await runQuire(['list', 'blog', '--limit', '1'])).toMatchObject({
      stderr: 'the first 1; --limit lists more, --all everything\n',
    });
    expect(await runQuire(['delete', 'blog', 'second'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('confirm with --yes') as string,
    });
    await quire(['delete', 'blog', 'second', '--yes']);
    expect(await runQuire(['get', 'blog', 'second'])).toMatchObject({ exitCode: 3, stdout: '' });
  });

  it('are not replaced where they must not be', async () => {
    await quire(['add', 'blog', 'kept', '-', '--no-replace'], { stdin: 'one' });
    expect((await runQuire(['add', 'blog', 'kept', '-', '--no-replace'], { stdin: 'two' })).exitCode).toBe(5);
  });

  it('have a history, whose versions are compared and brought back', async () => {
    for (const text of ['one\ntwo\n', 'one\n2\n', 'one\n2\nthree\n'])
      await quire(['add', 'blog', 'versions', '-'], { stdin: text });
    expect(await json('history', 'blog', 'versions')).toHaveLength(3);
    const numbers = (await json('history', 'blog', 'versions') as { revision: number }[]).map(({ revision }) =>
      revision
    );
    expect(await quire(['diff', 'blog', 'versions'])).toBe(
      `--- versions revision ${numbers[1]}\n+++ versions revision ${numbers[0]}\n@@ -1,2 +1,3 @@\n one\n 2\n+three\n`,
    );
    expect(await quire(['diff', 'blog', 'versions', String(numbers[2])])).toContain('-two\n+2\n+three\n');
    expect(await quire(['diff', 'blog', 'versions'], { columns: 80 })).toContain('\u001b[32m+three');
    expect(await quire(['diff', 'blog', 'versions', '--no-color'], { columns: 80 })).not.toContain('\u001b[');
    expect((await runQuire(['diff', 'blog', 'versions', '99'])).exitCode).toBe(3);
    await quire(['restore-revision', 'blog', 'versions', String(numbers[2]), '--yes']);
    expect(await quire(['get', 'blog', 'versions'])).toBe('one\ntwo\n');
  });

  it('are edited in an editor', async () => {
    const editor = join(folder, 'editor');
    await writeFile(editor, '#!/bin/sh\nprintf "changed\\n" > "$1"\n');
    await chmod(editor, 0o700);
    process.env['VISUAL'] = editor;
    await quire(['add', 'blog', 'edited', '-'], { stdin: 'before\n' });
    expect(await runQuire(['edit', 'blog', 'edited'])).toMatchObject({ exitCode: 0, stderr: 'stored edited (en)\n' });
    expect(await quire(['get', 'blog', 'edited'])).toBe('changed\n');
    expect(await runQuire(['edit', 'blog', 'edited'])).toMatchObject({
      exitCode: 0,
      stderr: 'edited (en) is unchanged\n',
    });
    process.env['VISUAL'] = 'false';
    expect(await runQuire(['edit', 'blog', 'edited'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('nothing was stored') as string,
    });
  });

  it('are not overwritten when somebody else has changed them, and the text is kept', async () => {
    await quire(['add', 'blog', 'both', '-'], { stdin: 'before\n' });
    const editor = join(folder, 'racing-editor');
    const { token } =
      (JSON.parse(await readFile(profilesFile(), 'utf8')) as { profiles: { default: { token: string } } }).profiles
        .default;
    const body = JSON.stringify({ collection: 'blog', key: 'both', lang: 'en', contentMd: 'theirs\n' });
    await writeFile(join(folder, 'race.mjs'),
      `await fetch(${
        JSON.stringify(`${server.url}/v1/update`)
      }, { method: 'PATCH', headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ${token}' }, body: ${
        JSON.stringify(body)
      } });`);
    await writeFile(editor,
      `#!/bin/sh\n"${process.execPath}" "${join(folder, 'race.mjs')}" && printf "mine\\n" > "$1"\n`);
    await chmod(editor, 0o700);
    process.env['VISUAL'] = editor;
    const run = await runQuire(['edit', 'blog', 'both']);
    expect(run).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('was changed by somebody else') as string,
    });
    const kept = /your text is kept in (.+)/.exec(run.stderr)![1]!;
    expect(await readFile(kept, 'utf8')).toBe('mine\n');
    await rm(join(kept, '..'), { recursive: true });
    expect(await quire(['get', 'blog', 'both'])).toBe('theirs\n');
  });

  it('are merged with marks around what differs', () => {
    expect(mergedText('a\nmine\nz\n', 'a\ntheirs\nz\n')).toBe(
      'a\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> stored in the meantime\nz\n',
    );
  });

  it('have metadata', async () => {
    await quire(['add', 'notes', 'n', '-', '--meta', 'topic=x'], { stdin: 'n' });
    await quire(['meta', 'set', 'notes', 'n', '--meta', 'topic=y', '--meta', 'topic=z']);
    expect(await json('meta', 'show', 'notes', 'n')).toMatchObject({ meta: { topic: ['y', 'z'] } });
    expect(await quire(['meta', 'keys', 'notes'])).toMatch(/topic +y, z/);
  });
});

describe('areas', () => {
  it('collections', async () => {
    await quire(['add', 'shelf', 'one', '-'], { stdin: 'one' });
    expect(await quire(['collections', 'list'])).toMatch(/^name +documents/);
    await quire(['collections', 'set', 'shelf', '--description', 'Books', '--max-revisions', '5']);
    expect(await json('collections', 'show', 'shelf')).toMatchObject({
      config: { description: 'Books', maxRevisions: 5 },
    });
    expect(await quire(['collections', 'checksum', 'shelf'])).toMatch(/^\w+\n$/);
    await quire(['collections', 'delete', 'shelf', '--yes']);
    expect((await json('collections', 'list') as { name: string }[]).map(({ name }) => name)).not.toContain('shelf');
  });

  it('users, groups and keys', async () => {
    expect(await quire(['users', 'add', 'alice', '--password', `@${join(folder, 'password')}`])).toBe('alice\n');
    expect(await runQuire(['users', 'add', 'bob'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--password @FILE') as string,
    });
    expect(await quire(['users', 'list'])).toMatch(/^alice +no/m);
    await quire(['users', 'permit', 'alice', 'blog', '--read']);
    expect(await json('users', 'permissions', '--username', 'alice')).toMatchObject([{
      collection: 'blog',
      read: true,
      write: false,
    }]);
    await quire(['groups', 'add', 'editors', '--members', 'alice,admin']);
    await quire(['groups', 'permit', 'editors', 'blog', '--read', '--write']);
    expect(await json('groups', 'permissions', 'editors')).toMatchObject([{ collection: 'blog', write: true }]);
    expect(await json('groups', 'list')).toMatchObject([{ name: 'editors', members: ['alice', 'admin'] }]);
    const key = (await quire(['keys', 'add', '--description', 'a test', '--quiet'])).trim();
    expect(await json('whoami', '--api-key', key)).toMatchObject({ username: 'admin' });
    const [{ keyHash }] = await json('keys', 'list') as [{ keyHash: string }];
    await quire(['keys', 'delete', keyHash, '--yes']);
    expect((await runQuire(['whoami', '--api-key', key])).exitCode).toBe(4);
    await quire(['groups', 'delete', 'editors', '--yes']);
    await quire(['users', 'delete', 'alice', '--yes']);
  });

  it('webhooks and automation', async () => {
    const id =
      (await quire(['webhooks', 'add', 'http://127.0.0.1:1/hook', '--events', 'doc.added,doc.updated', '-c', 'hooked']))
        .trim();
    expect(await json('webhooks', 'list')).toMatchObject([{
      id,
      events: ['doc.added', 'doc.updated'],
      collection: 'hooked',
    }]);
    expect(await quire(['webhooks', 'dead-letters'])).toBe('');
    expect(await json('webhooks', 'test', id)).toMatchObject({
      url: 'http://127.0.0.1:1/hook',
      ok: false,
      error: 'the port 1 must not be called',
    });
    await quire(['webhooks', 'delete', id, '--yes']);
    await writeFile(join(folder, 'rule.yaml'),
      'type: trigger\nname: from a file\nquery: outage\nwebhookUrl: http://127.0.0.1:1/hook\n');
    const rule = (await quire(['automation', 'add', '--body', join(folder, 'rule.yaml'), '--name', 'alerts'])).trim();
    expect(await json('automation', 'show', rule)).toMatchObject({ name: 'alerts', query: 'outage' });
    expect(await quire(['automation', 'list'])).toMatch(/ trigger +alerts/);
    await quire(['automation', 'test', rule]);
    expect(await quire(['automation', 'logs'])).toBe('');
    await quire(['automation', 'delete', rule, '--yes']);
  });

  it('memory', async () => {
    const session = (await quire(['memory', 'start', 'alice', '--title', 'Plans'])).trim();
    await quire(['memory', 'remember', session, 'The deadline is in May', '--role', 'user']);
    await quire(['memory', 'remember', session, '@-', '--role', 'assistant'], { stdin: 'Noted' });
    expect(await quire(['memory', 'recall', 'deadline', '--user-id', 'alice'])).toContain('The deadline is in May');
    expect(await json('memory', 'history', session)).toHaveLength(2);
    expect(await quire(['memory', 'sessions'])).toContain('Plans');
    await quire(['memory', 'forget', session, '--yes']);
  });

  it('jobs', async () => {
    await writeFile(join(folder, 'job.json'),
      JSON.stringify({ collection: 'loaded', documents: [{ key: 'a', lang: 'en', contentMd: 'a' }] }));
    const id = (await quire(['jobs', 'submit', '--body', join(folder, 'job.json')])).trim();
    expect(await json('jobs', 'show', id)).toMatchObject({ id, collection: 'loaded' });
    expect(await runQuire(['jobs', 'watch', id])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('completed: added 1, updated 0, failed 0') as string,
    });
    expect(await quire(['jobs', 'list'])).toContain('loaded');
    expect(await quire(['jobs', 'encryption'])).toBe('');
  });

  it('the service itself', async () => {
    expect(await quire(['health'])).toMatch(/^status +/);
    expect(await json('stats')).toMatchObject({ mode: 'wr' });
    expect(await quire(['config'])).not.toBe('');
    expect(await quire(['audit', '--actor', 'admin', '--limit', '3'])).toMatch(/^when +actor/);
    const backup = (await quire(['backup', 'today.db'])).trim();
    expect(backup).toContain('today.db');
    await quire(['restore', 'today.db', '--yes']);
    expect((await runQuire(['backup', 'today.db'])).exitCode).toBe(5);
  });
});

describe('quire call', () => {
  it('calls any operation with its fields', async () => {
    await quire(['call', 'addDocument', '-c', 'called', '--key', 'k', '--lang', 'en', '--content-md', '@-', '--meta',
      'tags=x', '--meta', 'tags=y'], { stdin: 'from standard input' });
    expect(JSON.parse(await quire(['call', 'getDocument', '-c', 'called', '--key', 'k', '-l', 'en']))).toMatchObject({
      contentMd: 'from standard input',
      meta: { tags: ['x', 'y'] },
    });
    expect(JSON.parse(await quire(['call', 'searchFullText', '--body', '-', '--limit', '5'], {
      stdin: '{"collection": "called", "query": "standard", "limit": 1}',
    }))).toMatchObject({ total: 1 });
    expect(await quire(['call', 'searchDocuments', '-c', 'called', '--paginate'])).toMatch(/^\{.*"key":"k".*\}\n$/);
    expect(await quire(['call', 'exportDocuments', '-c', 'called', '--format', 'ndjson'])).toContain('"key":"k"');
    expect(await quire(['call', 'getMetrics'])).toContain('# TYPE');
  });

  it('sends bodies that are no JSON', async () => {
    const imported = await quire(['call', 'importDocuments', '-c', 'lines', '--body', '-'], {
      stdin: '{"key":"a","lang":"en","contentMd":"a"}\n',
    });
    expect(imported).toContain('"added":1');
    await writeFile(join(folder, 'page.md'), '# Page');
    expect(
      JSON.parse(await quire(['call', 'uploadFiles', '-c', 'lines', '-l', 'en', '--file', join(folder, 'page.md')])),
    ).toMatchObject({ key: 'page' });
  });

  it('helps with names and types', async () => {
    expect(await runQuire(['call', 'getDocumnet'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean getDocument?') as string,
    });
    expect(await runQuire(['call', 'getDocument', '--colection', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean --collection?') as string,
    });
    expect(await runQuire(['call', 'getDocument', '--key', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: 'quire call getDocument: missing --collection, --lang\n',
    });
    expect(await runQuire(['call', 'searchDocuments', '-c', 'x', '--limit', 'many'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--limit many: expected a whole number') as string,
    });
    expect(await quire(['call', 'getDocument', '--help'])).toMatch(/--collection <text> .*needed/);
    expect(await quire(['help', 'call'])).toContain('searchHybrid');
  });
});

describe('the program', () => {
  it('loads the commands that --help promises', async () => {
    const program = await createProgram('all', {
      stdin: process.stdin,
      stdout: new Sink(),
      stderr: new Sink(),
      setExitCode: () => undefined,
    });
    expect(program.commands.map((command) => [command.name(), command.summary() || command.description()])).toEqual(
      ENTRIES.map(({ name, summary }) => [name, summary]),
    );
  });

  it('ends with 2 when the command line is wrong', async () => {
    expect(await runQuire(['serach'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean search?') as string,
    });
    expect((await runQuire([])).exitCode).toBe(2);
    expect(await runQuire(['--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('6 the service cannot be reached') as string,
    });
  });

  it('runs as a process, by its profile and by the environment', async () => {
    const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] };
    expect((await execute(process.execPath, [MAIN, 'whoami', '--json'], { env })).stdout).toContain(
      '"username": "admin"',
    );
    await expect(execute(process.execPath, [MAIN, 'get', 'blog', 'nothing'], { env })).rejects.toMatchObject({
      code: 3,
    });
  });
});

describe('completion', () => {
  /** The suggestions of bash after these words, with the real script and the real program. */
  async function complete(...words: string[]): Promise<string[]> {
    const script = join(folder, 'completion.bash');
    if (!(await readdir(folder)).includes('completion.bash'))
      await writeFile(script, await quire(['completion', 'bash']));
    const program =
      `source ${script}; quire() { "${process.execPath}" "${MAIN}" "$@"; }; COMP_WORDS=(quire "$@"); COMP_CWORD=$(( ` +
      `\${#COMP_WORDS[@]} - 1 )); _quire; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execute('bash', ['-c', program, 'bash', ...words], {
      env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] },
    });
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('offers commands, options and their values', async () => {
    expect(await complete('us')).toEqual(['users']);
    expect(await complete('users', 'per')).toEqual(['permissions', 'permit']);
    expect(await complete('list', '--limit', '5', '--as')).toEqual(['--asc']);
    expect(await complete('list', '--sort', '')).toEqual(['addedAt', 'updatedAt', 'key']);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await complete('call', 'searchHy')).toEqual(['searchHybrid']);
  });

  it('asks the service for collections and keys', async () => {
    await quire(['add', 'shelves', 'upper', '-'], { stdin: 'x' });
    expect(await complete('get', 'shel')).toEqual(['shelves']);
    expect(await complete('get', 'shelves', '')).toEqual(['upper']);
    expect(await complete('search', '-c', 'shel')).toEqual(['shelves']);
    expect(await complete('whoami', '--profile', '')).toEqual(['default']);
  });

  it('says nothing where there is no service', async () => {
    process.env['QUIRE_URL'] = 'http://127.0.0.1:1';
    expect(await runQuire(['__complete', 'collections'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it.each(['zsh', 'fish'])('has a script for %s with every command', async (shell) => {
    const script = await quire(['completion', shell]);
    for (const { name } of ENTRIES) expect(script).toContain(name);
  });
});
