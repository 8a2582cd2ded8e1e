import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeSettings } from '../../app/settings/describe.ts';
import { loadSettings } from '../../app/settings/index.ts';

const VARIABLES = new Set(describeSettings().flatMap(({ env }) => env));

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');
const read = (...path: string[]): string => readFileSync(join(DEPLOY, ...path), 'utf8');

const dockerfile = read('docker', 'Dockerfile');
const exposed = new Set(/^EXPOSE (.+)$/m.exec(dockerfile)![1]!.split(' ').map(Number));
const user = Number(/^USER (\d+):/m.exec(dockerfile)![1]);

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

describe('deploy/compose', () => {
  const text = read('compose', 'compose.yaml');
  const { services, volumes } = parse(text, { merge: true }) as Compose;
  const nodes = Object.entries(services).filter(([, { build }]) => build !== undefined);

  /** What Compose puts in the place of variables: a default, or a secret. */
  const interpolated = (value: string | number): string =>
    String(value).replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, __, fallback?: string) =>
      fallback ?? 'a-secret-of-at-least-32-characters');

  it('has three nodes whose settings the service accepts', () => {
    expect(nodes.map(([name]) => name)).toEqual(['quire-1', 'quire-2', 'quire-3']);
    for (const [name, { environment }] of nodes) {
      const env = Object.fromEntries(Object.entries(environment!).map(([key, value]) => [key, interpolated(value)]));
      const { settings } = loadSettings({ env });
      expect(Object.keys(env).filter((key) => key.startsWith('SVC_') && !VARIABLES.has(key))).toEqual([]);
      expect(settings.node).toMatchObject({ name, address: `${name}:11024`, replicas: 2 });
      expect(settings.storage.driver).toBe('postgres');
    }
  });

  it('builds the image of deploy/docker and runs its health check', () => {
    for (const [, { image, build, healthcheck, environment }] of nodes) {
      expect(image).toBe('quire');
      expect(readFileSync(join(DEPLOY, 'compose', build!.context, build!.dockerfile), 'utf8')).toBe(dockerfile);
      expect(dockerfile).toContain(`HEALTHCHECK`);
      expect(dockerfile).toContain(`"${healthcheck!.test.at(-1)}"`);
      expect(environment!['QUIRE_HEALTH_URL']).toBe('http://127.0.0.1:11023/ready');
    }
  });

  it('names ports of nodes that the image has, and services that exist', () => {
    const ports = [...text.matchAll(/quire-\d:(\d+)/g)].map(([, port]) => Number(port));
    expect(ports.length).toBeGreaterThan(4);
    expect(ports.filter((port) => !exposed.has(port))).toEqual([]);
    const needed = Object.values(services).flatMap((service) => Object.keys(service.depends_on ?? {}));
    expect(needed.filter((name) => !(name in services))).toEqual([]);
  });

  it('keeps volumes for PostgreSQL and the bucket alone, and publishes no port to other machines', () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(used.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(volumes).sort());
    expect(Object.keys(volumes).sort()).toEqual(['minio', 'postgres']);
    expect([...text.matchAll(/^ {4}ports: (.*)$/gm)].map(([, ports]) => ports)).toEqual(["['127.0.0.1:11020:11020']"]);
  });

  it('needs the secrets that the page for operators makes', () => {
    const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!));
    const page = readFileSync(join(DEPLOY, '..', 'docs', 'cluster.md'), 'utf8');
    const made = [...page.matchAll(/^(\w+)=\$\(openssl rand/gm)].map(([, name]) => name!);
    expect(made.sort()).toEqual([...needed].sort());
  });
});

describe('deploy/helm', () => {
  const CHART = ['helm', 'quire'] as const;
  const templates = ['statefulset.yaml', 'services.yaml', 'disruption-budget.yaml', '_environment.tpl', '_helpers.tpl',
    'NOTES.txt'].map((name) => read(...CHART, 'templates', name)).join('\n');
  const valuesText = read(...CHART, 'values.yaml');
  const values = parse(valuesText) as Record<string, unknown>;
  const schema = JSON.parse(read(...CHART, 'values.schema.json')) as Record<string, unknown>;

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(DEPLOY, '..', 'package.json'), 'utf8')) as { version: string };
    expect(parse(read(...CHART, 'Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('sets and names variables of the service that exist', () => {
    const used = new Set(`${templates}\n${valuesText}`.match(/\bSVC_[A-Z0-9_]+/g));
    expect(used.size).toBeGreaterThan(15);
    expect([...used].filter((name) => !VARIABLES.has(name))).toEqual([]);
  });

  it('has defaults that its schema accepts, and refuses what is misspelt', () => {
    const accepts = new Ajv({ strict: false }).compile(schema);
    expect(accepts(values)).toBe(true);
    expect(accepts({ ...values, node: 3 })).toBe(false);
    expect(accepts({ ...values, settings: { SVC_WORKERS: 2 } })).toBe(false);
    expect(accepts({ ...values, checkpoints: { place: 'our-bucket' } })).toBe(false);
  });

  it('uses values that exist', () => {
    const paths = [...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!.split('.'));
    expect(paths.length).toBeGreaterThan(20);
    const find = (path: readonly string[]): unknown =>
      path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values);
    expect(paths.filter((path) => find(path) === undefined)).toEqual([]);
  });

  it('agrees with the image about ports, the user and the folder that is written to', () => {
    const ports = [...templates.matchAll(/(?:containerPort|port): (\d+)/g)].map(([, port]) => Number(port));
    expect(ports.length).toBeGreaterThan(5);
    expect(ports.filter((port) => !exposed.has(port))).toEqual([]);
    expect([...templates.matchAll(/(?:runAsUser|runAsGroup|fsGroup): (\d+)/g)].map(([, id]) => Number(id))).toEqual([
      user,
      user,
      user,
    ]);
    expect(templates).toContain('mountPath: /data');
    expect(dockerfile).toContain('VOLUME /data');
  });
});
