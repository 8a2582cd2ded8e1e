import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync,
  writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemTimer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { LiveRunsConfig, loadRunsConfig, parseRunsConfig } from '../config/index.ts';
import { ProjectFile, replaceFile } from './create-project.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-projects-'));
afterAll(() => rmSync(folder, { recursive: true }));

const opened: LiveRunsConfig[] = [];
afterEach(() => Promise.all(opened.splice(0).map((live) => live.stop())));

async function open(source: string) {
  const config = new LiveRunsConfig({
    loaded: await loadRunsConfig({ source, env: {} }),
    env: {},
    log: silentLog,
    timer: systemTimer,
  });
  opened.push(config);
  return { config, file: new ProjectFile(config, {}, systemTimer) };
}

let files = 0;

function write(text: string): string {
  const source = join(folder, `${files++}.yaml`);
  writeFileSync(source, text, { mode: 0o640 });
  return source;
}

const project = (id: string) => ({ id, repository: `org/${id}` });
const COMMENTED = '# head\nversion: 1\nprojects:\n  - id: first # the first\n    repository: org/first\n# tail\n';

describe('ProjectFile (run-queue decisions, sections 2.6 and 3)', () => {
  it('adds a project to the file and to the settings, and keeps mode and links', async () => {
    const target = write(COMMENTED);
    const source = join(folder, 'link.yaml');
    symlinkSync(target, source);
    const { config, file } = await open(source);
    expect(await file.add(project('second'))).toMatchObject({ id: 'second', enabled: true });
    expect(config.current().config.projects.map(({ id }) => id)).toEqual(['first', 'second']);
    expect(readFileSync(target, 'utf8')).toContain('id: first # the first');
    expect([lstatSync(source).isSymbolicLink(), statSync(target).mode & 0o777]).toEqual([true, 0o640]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('takes what a project says of its forge, and checks it against the rest of the file', async () => {
    const source = write(`${COMMENTED}forges: [{name: hub, kind: github}]\n`);
    const { config, file } = await open(source);
    const forged = { forge: 'hub', pipelines_from: 'repository', forks: { runs: 'never', runs_on: [] } };
    await file.add({ ...project('second'), ...forged });
    expect(config.current().config.projects[1]).toMatchObject(forged);
    await expect(file.replace('second', { repository: 'org/second', forge: 'hbu' })).rejects.toThrow(
      'forge: there is no forge hbu; did you mean hub?',
    );
    await expect(file.replace('second', { repository: 'org/second', release: { tag: 'v*' } })).rejects.toThrow(
      'release_interval: required by release',
    );
  });

  it('lets one of two win, in one process and in two', async () => {
    const source = write(COMMENTED);
    const [a, b] = [await open(source), await open(source)];
    const outcomes = await Promise.allSettled([a.file.add(project('x')), a.file.add(project('x')),
      b.file.add(project('x')), b.file.add(project('y'))]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'project_exists' });
    expect(parseRunsConfig(readFileSync(source, 'utf8')).projects.map(({ id }) => id).sort()).toEqual(['first', 'x',
      'y']);
  });

  it('counts what others have written to the file meanwhile', async () => {
    const source = write(COMMENTED);
    const { file } = await open(source);
    writeFileSync(source, `${COMMENTED}queue: {max_attempts: 7}\n`);
    await file.add(project('second'));
    expect(parseRunsConfig(readFileSync(source, 'utf8'))).toMatchObject({
      queue: { max_attempts: 7 },
      projects: [{ id: 'first' }, { id: 'second' }],
    });
  });

  it.each([['a body with a wrong id', { id: 'A b', repository: 'o/a' }, {
    code: 'invalid_project',
    message: expect.stringContaining('id'),
  }], ['an interval that is too short', { ...project('x'), release_interval: '30s' }, {
    code: 'invalid_project',
    message: expect.stringContaining('release_interval'),
  }], ['a schedule without its pipeline', { ...project('x'), release_interval: '1h' }, {
    code: 'invalid_project',
    message: 'release_interval: needs the pipeline release (scheduler.release_pipeline)',
  }], ['an id that is taken', project('first'), { code: 'project_exists' }]])('refuses %s', async (_, body, error) => {
    const source = write(COMMENTED);
    const { file } = await open(source);
    await expect(file.add(body)).rejects.toMatchObject(error);
    expect(readFileSync(source, 'utf8')).toBe(COMMENTED);
  });

  it('replaces and removes a project, one after the other, and nothing that others need', async () => {
    const source = write(`${COMMENTED}alerts: {default_project: first}\n`);
    const { config, file } = await open(source);
    await file.add({ ...project('second'), max_parallel: 3, priority: 7 });
    expect(await file.replace('second', { repository: 'org/other', enabled: false })).toMatchObject({
      id: 'second',
      repository: 'org/other',
      enabled: false,
      max_parallel: 0,
      priority: 0,
    });
    expect(readFileSync(source, 'utf8')).toContain(
      '  - id: second\n    repository: org/other\n    enabled: false\n# tail\n',
    );
    await expect(file.replace('second', { repository: 'no' })).rejects.toMatchObject({
      code: 'invalid_project',
      message: expect.stringContaining('repository'),
    });
    await expect(file.replace('third', { repository: 'org/third' })).rejects.toMatchObject({
      code: 'project_not_found',
    });
    await expect(file.remove('third')).rejects.toMatchObject({ code: 'project_not_found' });
    await expect(file.remove('first')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('alerts.default_project'),
    });
    await file.remove('second');
    expect(config.current().config.projects.map(({ id }) => id)).toEqual(['first']);
    expect(readFileSync(source, 'utf8')).toBe(`${COMMENTED}alerts: {default_project: first}\n`);
  });

  it('touches nothing while the file on disk is not valid', async () => {
    const source = write(COMMENTED);
    const { file } = await open(source);
    writeFileSync(source, 'nonsense: true');
    await expect(file.add(project('x'))).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('not valid now'),
    });
    expect(readFileSync(source, 'utf8')).toBe('nonsense: true');
  });

  it('writes in place, after a copy, where the file cannot be replaced', async () => {
    const source = write(COMMENTED);
    await replaceFile(source, 'short\n', {
      rename: () => Promise.reject(Object.assign(new Error('busy'), { code: 'EBUSY' })),
    });
    expect([readFileSync(source, 'utf8'), readFileSync(`${source}.bak`, 'utf8')]).toEqual(['short\n', COMMENTED]);
  });

  it('leaves the old file or the new one when it is killed while it writes', async () => {
    const source = write(COMMENTED);
    for (let life = 0; life < 5; life++) {
      const before = parseRunsConfig(readFileSync(source, 'utf8')).projects.length;
      const child = spawn(process.execPath, [join(import.meta.dirname, '../../testkit/runs-faults/add-for-ever.ts'),
        source, `l${life}`], { stdio: ['ignore', 'pipe', 'inherit'] });
      let told = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        if (told.split('\n').length > 5 + life) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      const text = readFileSync(source, 'utf8');
      const acknowledged = told.split('\n').filter((line) => line.endsWith('.')).map((line) => line.slice(0, -1));
      const ids = parseRunsConfig(text).projects.map(({ id }) => id);
      expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
      expect(ids.length - before - acknowledged.length).toBeLessThanOrEqual(1);
      expect(['# head', '# the first', '# tail'].filter((comment) => !text.includes(comment))).toEqual([]);
    }
  });
});
