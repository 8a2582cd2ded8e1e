import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../text/languages/index.ts';
import { loadSettings, SettingsError } from './load.ts';
import type { SettingsInput } from './load.ts';
import type { Settings } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const yaml = (text: string): string => {
  const file = join(folder, `${(files += 1)}.yaml`);
  writeFileSync(file, text);
  return file;
};

const load = (env: Record<string, string> = {}, more: SettingsInput = {}): Settings =>
  loadSettings({ env, ...more }).settings;
const problems = (env: Record<string, string>, more: SettingsInput = {}): readonly string[] => {
  try {
    loadSettings({ env, ...more });
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).problems;
  }
  throw new Error('expected the settings to be refused');
};

describe('loadSettings: precedence (decision D-10)', () => {
  const file = yaml('database: {path: from-yaml.db, mode: read}');

  it('takes the default without any source', () => {
    expect(load().database).toEqual({
      path: 'data/quire.db',
      mode: 'wr',
      backupDir: 'data',
      ttlSweepInterval: 30_000,
      deletedRetention: 2_592_000_000,
    });
  });

  it('flag > environment > YAML > default', () => {
    expect(load({}, { yamlFile: file }).database.path).toBe('from-yaml.db');
    expect(load({ SVC_PATH: 'from-env.db' }, { yamlFile: file }).database.path).toBe('from-env.db');
    expect(load({ SVC_PATH: 'from-env.db' }, { yamlFile: file, flags: { db: 'from-flag.db' } }).database.path).toBe(
      'from-flag.db',
    );
  });

  it('reads the file that --config names', () => {
    expect(load({}, { flags: { config: file } }).database.path).toBe('from-yaml.db');
  });

  it('takes defaults that the caller has, where no source names the setting', () => {
    const defaults = { SVC_EMBEDDING_PROVIDER: 'builtin' };
    expect(load({}, { defaults }).embedding.provider).toBe('builtin');
    expect(load({ SVC_EMBEDDING_PROVIDER: 'none' }, { defaults }).embedding.provider).toBe('none');
    expect(load({}, { defaults, yamlFile: yaml('embedding: {provider: local}') }).embedding.provider).toBe('local');
  });

  it('counts an empty value as absent, in every source', () => {
    const empty = yaml('database: {path: ""}\nhttp:\n');
    expect(load({ SVC_PATH: '' }, { yamlFile: empty, flags: { db: '' } }).database.path).toBe('data/quire.db');
  });

  it('reports where each value came from', () => {
    const { origins } = loadSettings({
      env: { SVC_PATH: 'a.db' },
      flags: { mode: 'read' },
      yamlFile: yaml('cors: {origins: ["https://a.example"]}'),
    });
    expect([origins.get('database.path')?.label, origins.get('database.mode')?.label,
      origins.get('cors.origins')?.label]).toEqual(['SVC_PATH', '--mode',
        expect.stringMatching(/^cors\.origins in .*\.yaml$/)]);
    expect(origins.has('http.addr')).toBe(false);
  });

  it('is frozen through and through', () => {
    const settings = load();
    expect([settings, settings.http, settings.http.addr, settings.cors.origins].every(Object.isFrozen)).toBe(true);
  });
});

describe('loadSettings: addresses (decision D-13)', () => {
  const addr = (env: Record<string, string>, more: SettingsInput = {}) => load(env, more).http.addr;

  it('SVC_HTTP_ADDR wins over SVC_ADDR', () => {
    expect(addr({ SVC_ADDR: ':1', SVC_HTTP_ADDR: ':2' })).toEqual({ kind: 'tcp', port: 2 });
    expect(addr({ SVC_ADDR: 'localhost:1' })).toEqual({ kind: 'tcp', host: 'localhost', port: 1 });
  });

  it('SVC_HTTP_PORT replaces the port and keeps the host', () => {
    expect(addr({ SVC_HTTP_PORT: '8080' })).toEqual({ kind: 'tcp', port: 8080 });
    expect(addr({ SVC_HTTP_PORT: '8080', SVC_ADDR: '127.0.0.1:1' })).toEqual({
      kind: 'tcp',
      host: '127.0.0.1',
      port: 8080,
    });
    expect(addr({ SVC_HTTP_PORT: '8080' }, { yamlFile: yaml('http: {addr: "127.0.0.1:1"}') })).toEqual({
      kind: 'tcp',
      host: '127.0.0.1',
      port: 8080,
    });
  });

  it('SVC_HTTP_ADDR and the flag name the whole address', () => {
    expect(addr({ SVC_HTTP_PORT: '8080', SVC_HTTP_ADDR: ':1' })).toEqual({ kind: 'tcp', port: 1 });
    expect(addr({ SVC_HTTP_PORT: '8080' }, { flags: { httpAddr: ':2' } })).toEqual({ kind: 'tcp', port: 2 });
  });

  it.each([['SVC_HTTP_PORT', '70000'], ['SVC_HTTP_PORT', 'x']])('refuses %s=%s', (name, value) => {
    expect(problems({ [name]: value })).toEqual([`${name}: expected a port from 0 to 65535, got "${value}"`]);
  });
});

describe('loadSettings: access modes (contract section 1)', () => {
  it('protocols inherit SVC_MODE', () => {
    const { http, grpc, mcp, http3 } = load({ SVC_MODE: 'read' });
    expect([http.mode, grpc.mode, mcp.mode, http3.mode]).toEqual(['read', 'read', 'read', 'read']);
  });

  it('each can have its own', () => {
    const { http, grpc, mcp, http3, database } = load({
      SVC_MODE: 'read',
      SVC_API_MODE: 'wr',
      SVC_GRPC_MODE: 'write',
      SVC_MCP_MODE: 'wr',
      SVC_HTTP3_MODE: 'write',
    });
    expect([database.mode, http.mode, grpc.mode, mcp.mode, http3.mode]).toEqual(['read', 'wr', 'write', 'wr', 'write']);
  });

  it('refuses others', () => {
    expect(problems({ SVC_API_MODE: 'none' })).toEqual(['SVC_API_MODE: expected one of read, write, wr, got "none"']);
  });
});

describe('loadSettings: defaults that depend on other settings', () => {
  it('backups and postcodes lie beside the database (decision D-73)', () => {
    expect(load({ SVC_PATH: '/srv/quire/a.db' }).database.backupDir).toBe('/srv/quire');
    expect(load({ SVC_PATH: '/srv/quire/a.db' }).geo.dataDir).toBe('/srv/quire');
    expect(load({ SVC_PATH: ':memory:' }).database.backupDir).toBe('data');
    expect(load({ SVC_BACKUP_DIR: 'b' }).database.backupDir).toBe('b');
  });
});

describe('loadSettings: problems', () => {
  it('names all of them at once, each with its variable, what was expected and what it got', () => {
    expect(problems({
      SVC_FTS_STEMMING: 'maybe',
      SVC_CODE_MAX_SYMBOLS: '-1',
      SVC_EMBEDDING_QUEUE_WAIT: 'soon',
      SVC_HTTP_ADDR: 'nowhere',
    })).toEqual([expect.stringMatching(/^SVC_HTTP_ADDR: expected an address such as :11023, .* got "nowhere"$/),
      expect.stringMatching(/^SVC_EMBEDDING_QUEUE_WAIT: expected a duration such as 500ms, .* got "soon"$/),
      expect.stringMatching(/^SVC_FTS_STEMMING: expected true or false .* got "maybe"$/),
      'SVC_CODE_MAX_SYMBOLS: expected an integer from 1 to 100000, got "-1"']);
  });

  it('names flags and YAML keys as they were written', () => {
    const file = yaml('fts: {defaultLang: klingon}');
    expect(problems({}, { flags: { mode: 'x' }, yamlFile: file })).toEqual([
      '--mode: expected one of read, write, wr, got "x"',
      expect.stringMatching(/^fts\.defaultLang in .*: expected one of en, pl, .* got "klingon"$/),
    ]);
  });

  it('takes each language that has a stemmer for that of full-text search', () => {
    for (const { code } of LANGUAGES)
      expect(() => loadSettings({ env: { SVC_FTS_DEFAULT_LANG: code } }), code).not.toThrow();
  });

  it('checks values that belong together', () => {
    expect(problems({ SVC_COMPRESSION_SMALL_THRESHOLD: '20000' })).toEqual([
      'SVC_COMPRESSION_SMALL_THRESHOLD: expected at most the medium threshold, 10240, got 20000',
    ]);
    expect(problems({ SVC_AUTH_ENABLED: 'true' })).toEqual(expect.arrayContaining([
      expect.stringMatching(/^SVC_AUTH_JWT_SECRET: required when authentication is enabled; make one with/),
      'SVC_AUTH_ADMIN_PASSWORD: required when authentication is enabled',
    ]));
    expect(problems({ SVC_TLS_ENABLED: 'true' })).toEqual(
      expect.arrayContaining(['SVC_TLS_CERT: required when TLS is enabled',
        'SVC_TLS_KEY: required when TLS is enabled']),
    );
    expect(problems({ SVC_EMBEDDING_PROVIDER: 'voyage' })).toContain(
      'SVC_EMBEDDING_API_KEY: required by the provider voyage',
    );
    expect(problems({ SVC_REPLICATION_ROLE: 'follower' })).toContain(
      'SVC_REPLICATION_LEADER_ADDR: required by a follower',
    );
  });

  it('checks what authentication needs, and shows no secret', () => {
    const auth = {
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 's'.repeat(32),
      SVC_AUTH_ADMIN_PASSWORD: 'p'.repeat(72),
    };
    expect(load(auth).auth).toMatchObject({ enabled: true, adminUsername: 'admin' });
    expect(loadSettings({ env: { ...auth, SVC_AUTH_JWT_SECRET: 's'.repeat(31) } }).warnings).toEqual([
      'SVC_AUTH_JWT_SECRET: 31 bytes can be guessed; use at least 32, as `openssl rand -base64 32` makes them',
    ]);
    expect(loadSettings({ env: { ...auth, SVC_AUTH_JWT_SECRET: 'ä'.repeat(16) } }).warnings).toEqual([]);
    expect(problems({ ...auth, SVC_AUTH_ADMIN_PASSWORD: 'p'.repeat(73) })).toEqual([
      'SVC_AUTH_ADMIN_PASSWORD: expected at most 72 bytes, got 73',
    ]);
    expect(problems({ ...auth, SVC_AUTH_ADMIN_USERNAME: 'a b' })).toEqual([
      expect.stringContaining('SVC_AUTH_ADMIN_USERNAME: expected 1 to 64 letters') as string,
    ]);
    expect(problems({ SVC_METRICS_PUBLIC: 'false' })).toEqual([
      'SVC_METRICS_PUBLIC: a credential for /metrics needs authentication; set SVC_AUTH_ENABLED=true',
    ]);
    expect(() => load({ ...auth, SVC_METRICS_PUBLIC: 'false' })).not.toThrow();
  });

  it('warns of a secret of webhooks whose key is none or short, and does not show it', () => {
    const warnings = (secret: string) => loadSettings({ env: { SVC_WEBHOOK_SECRET: secret } }).warnings;
    expect(warnings('whsec_my own secret')).toEqual([
      expect.stringMatching(
        /^SVC_WEBHOOK_SECRET: after "whsec_", expected the base64 of a key of at least 24 bytes, got what is not base64; /,
      ),
    ]);
    expect(warnings('whsec_password')).toEqual([expect.stringContaining('got 6 bytes')]);
    expect([warnings('my own secret'), warnings('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')]).toEqual([[], []]);
  });

  it('refuses proxies that are no addresses, and warns where everybody is trusted', () => {
    expect(problems({ SVC_TRUSTED_PROXIES: '10.0.0.0/8,proxy.example' })).toEqual([
      expect.stringMatching(
        /^SVC_TRUSTED_PROXIES: expected a list, .* an address such as 10\.0\.0\.1, .* got "10\.0\.0\.0\/8,proxy\.example"$/,
      ),
    ]);
    expect(load({ SVC_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).limits.trustedProxies.map(({ text }) => text)).toEqual([
      '10.0.0.0/8',
      '::1',
    ]);
    expect(loadSettings({ env: { SVC_TRUSTED_PROXIES: '0.0.0.0/0' } }).warnings).toEqual([
      'SVC_TRUSTED_PROXIES: a range that holds every address lets every client claim any address',
    ]);
  });

  it('warns where requests are to be counted by user and there are none', () => {
    expect(loadSettings({ env: { SVC_RATE_LIMIT_ENABLED: 'true', SVC_RATE_LIMIT_BY: 'user' } }).warnings).toEqual([
      'SVC_RATE_LIMIT_BY: without authentication there are no users, so requests are counted by address',
    ]);
  });

  it('refuses to serve nothing', () => {
    expect(problems({ SVC_HTTP_ENABLED: 'false', SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' })).toEqual([
      'SVC_HTTP_ENABLED: every listener is off, so nothing would be served',
    ]);
  });

  it('never shows a secret', () => {
    const text = problems({ SVC_ENCRYPTION_KEY: 'hunter2', SVC_AUTH_JWT_SECRET: 'hunter2', SVC_AUTH_ENABLED: 'true' })
      .join('\n');
    expect(text).not.toContain('hunter2');
    const nested = problems({}, { yamlFile: yaml('auth: {jwtSecret: [hunter2]}') }).join('\n');
    expect(nested).toContain('got (hidden)');
    expect(nested).not.toContain('hunter2');
  });
});

describe('loadSettings: the YAML file', () => {
  it('reads every kind of value, and numbers as they were written', () => {
    const { settings } = loadSettings({
      yamlFile: yaml(`
path: top.db
mode: read
fts: {stemmingEnabled: off, defaultLang: de}
compression: {smallThreshold: 2048}
embedding: {queueWait: 5s, queueSize: 7}
cors: {origins: ["https://a.example", "https://b.example"]}
mcp: {rateLimitWindow: 60, serverInfo: {name: Notes, vendor: Us}}
auth: {jwtSecret: 0123}
`),
    });
    expect(settings).toMatchObject({
      database: { path: 'top.db', mode: 'read' },
      fts: { stemmingEnabled: false, defaultLang: 'de' },
      compression: { smallThreshold: 2048 },
      embedding: { queueWait: 5000, queueSize: 7 },
      cors: { origins: { listed: ['https://a.example', 'https://b.example'], others: 'nothing' } },
      mcp: { rateLimitWindow: 60_000, serverName: 'Notes', serverVendor: 'Us' },
      auth: { jwtSecret: '0123' },
    });
  });

  it('database.path is stronger than the short form', () => {
    expect(load({}, { yamlFile: yaml('path: short.db\ndatabase: {path: long.db}') }).database.path).toBe('long.db');
  });

  it('warns of unknown keys and of unknown variables, with a hint', () => {
    const file = yaml('htpp: {addr: ":1"}\nhttp: {adr: ":1"}\nzebra: 1');
    const { warnings } = loadSettings({
      yamlFile: file,
      env: { SVC_PAHT: 'x', SVC_HTTP_ADRESS: ':1', SVC_WHATEVER_THAT_IS: '1', OTHER: 'x' },
    });
    expect(warnings).toEqual([`${file}: unknown key htpp; did you mean http?`,
      `${file}: unknown key http.adr; did you mean addr?`, `${file}: unknown key zebra`,
      'unknown variable SVC_HTTP_ADRESS; did you mean SVC_HTTP_ADDR?',
      'unknown variable SVC_PAHT; did you mean SVC_PATH?',
      'unknown variable SVC_WHATEVER_THAT_IS; docs/settings.md lists all']);
  });

  it('names the place of a mistake', () => {
    expect(problems({}, { yamlFile: yaml('http: {addr: ":1"') })[0]).toMatch(/\.yaml: line \d+, column \d+: /);
    expect(problems({}, { yamlFile: yaml('- a') })[0]).toMatch(/: expected a mapping of settings$/);
    expect(problems({}, { yamlFile: yaml('http: true') })[0]).toMatch(
      /^http in .*: expected a mapping with enabled, addr, mode, compression, console$/,
    );
    expect(problems({}, { yamlFile: yaml('database: {path: {a: 1}}') })[0]).toMatch(
      /^database\.path in .*: expected a text, got /,
    );
    expect(problems({}, { yamlFile: join(folder, 'none.yaml') })[0]).toMatch(
      /none\.yaml: the file cannot be read: ENOENT$/,
    );
  });

  it('may be empty', () => {
    expect(load({}, { yamlFile: yaml('') })).toEqual(load());
  });
});

describe('loadSettings: replication (decision 4.11)', () => {
  const SECRET = 'x'.repeat(32);
  it.each([[{ SVC_REPLICATION_ROLE: 'leader' },
    'SVC_REPLICATION_SECRET: a leader needs it to know its followers by, or SVC_TLS_CLIENT_CA, or ' +
    'SVC_AUTH_ENABLED=true'], [{ SVC_REPLICATION_ROLE: 'leader', SVC_REPLICATION_SECRET: SECRET, SVC_PATH: ':memory:' },
    'SVC_PATH: a leader needs a database in a file, for the binlog is kept beside it'], [{
    SVC_REPLICATION_ROLE: 'leader',
    SVC_REPLICATION_SECRET: SECRET,
    SVC_GRPC_ENABLED: 'false',
  }, 'SVC_GRPC_ENABLED: followers reach a leader over gRPC, which is off'], [{
    SVC_REPLICATION_SECRET: SECRET.slice(1),
  }, 'SVC_REPLICATION_SECRET: expected at least 32 characters, got 31'], [{ SVC_REPLICATION_LEADER_ADDR: 'leader' },
    'SVC_REPLICATION_LEADER_ADDR: expected host:port or unix:/path, got "leader"']])('refuses %j', (env, problem) => {
      expect(problems(env as Record<string, string>)).toContain(problem);
    });

  it('takes a leader in, and a follower', () => {
    expect(() => load({ SVC_REPLICATION_ROLE: 'leader', SVC_REPLICATION_SECRET: SECRET })).not.toThrow();
    expect(() =>
      load({
        SVC_REPLICATION_ROLE: 'follower',
        SVC_REPLICATION_SECRET: SECRET,
        SVC_REPLICATION_LEADER_ADDR: 'leader:9090',
        SVC_PATH: ':memory:',
      })
    ).not.toThrow();
  });
});
