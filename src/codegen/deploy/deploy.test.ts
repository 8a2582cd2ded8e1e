import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../testkit/runs-server.ts';
import { SLIM } from '../manifest.ts';
import { DOCS, metricsIn, type Monitoring, RUNS } from './panels.ts';
import { renderMonitoring } from './render.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DEPLOY = join(ROOT, 'deploy');
const CHECK = join(DEPLOY, 'docker', 'healthcheck.mjs');
const run = promisify(execFile);

let docs: DocsServer;
let runs: RunsServer;
beforeAll(async () => {
  docs = await startDocsServer({ env: { SVC_BACKUP_CRON: '0 0 1 1 *', SVC_EMBEDDING_PROVIDER: 'builtin' } });
  runs = await startRunsServer(
    'local: {enabled: false}\nfleet: {enabled: true, listen: "127.0.0.1:0", enrol_listen: "127.0.0.1:0", ' +
      'advertise: 127.0.0.1}\nbackup: {schedule: "0 0 1 1 *"}\n',
  );
});
afterAll(async () => {
  await docs.stop();
  await runs.remove();
});

async function metricsOf(url: string): Promise<Set<string>> {
  const text = await (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${API_TOKEN}` } })).text();
  return new Set([...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name!));
}

const expressionsOf = (
  { panels, alerts }: Monitoring,
): string[] => [...panels.flatMap(({ queries }) => queries.map(([expression]) => expression)),
  ...alerts.map(({ expression }) => expression)];

describe('deploy/', () => {
  it.each([['docs', DOCS], ['runs', RUNS]] as const)('shows and watches metrics of %s that exist',
    async (service, monitoring) => {
      const known = await metricsOf(service === 'docs' ? docs.url : runs.url);
      const used = new Set(expressionsOf(monitoring).flatMap(metricsIn));
      expect([...used].filter((name) => !known.has(name))).toEqual([]);
      expect(used.size).toBeGreaterThan(10);
    });

  it.each([...renderMonitoring()])('has %s as its table does (node src/codegen/deploy/main.ts writes it)',
    (path, text) => {
      expect(readFileSync(join(DEPLOY, path), 'utf8')).toBe(text);
    });

  it('has a Dockerfile whose files exist and are sent to the build', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const lines = readFileSync(join(DEPLOY, 'docker', 'Dockerfile'), 'utf8').split('\n').filter((line) =>
      /^COPY (?!--from)/.test(line)
    );
    const sources = lines.flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(sources.length).toBeGreaterThan(10);
    expect(sources.filter((source) => !existsSync(join(ROOT, source)) || ignored.includes(source))).toEqual([]);
  });

  it('has a Dockerfile that leaves out the packages of which the build brings small copies', () => {
    const text = readFileSync(join(DEPLOY, 'docker', 'Dockerfile'), 'utf8');
    expect(Object.keys(SLIM).filter((name) => !text.includes(` node_modules/${name}`))).toEqual([]);
  });

  it('has a health check that distinguishes a healthy service from one that is not there', async () => {
    const check = (url: string) =>
      run(process.execPath, [CHECK], { env: { QUIRE_HEALTH_URL: url } }).then(() => 0, ({ code }: { code: number }) =>
        code);
    expect(
      await Promise.all([check(`${docs.url}/health`), check(`${runs.url}/healthz`), check(`${docs.url}/nothing`),
        check('http://127.0.0.1:9/health')]),
    ).toEqual([0, 0, 1, 1]);
  });

  const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!hasAnalyzer)('has units that systemd understands (skipped without systemd)', () => {
    for (const unit of ['quire-docs.service', 'quire-runs.service']) {
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(DEPLOY, 'systemd', unit)], {
        encoding: 'utf8',
      });
      expect(stderr.split('\n').filter((line) => line.includes(unit) && !/not executable/i.test(line))).toEqual([]);
    }
  });
});
