import { describe, expect, it } from 'vitest';
import type { Address } from '../lib/address.ts';
import { silentLog } from '../lib/log.ts';
import { startDocumentService, toDocsSettings } from './docs-service.ts';
import { describeSettings, loadSettings, type Settings } from './settings/index.ts';
import type { WebOrigins } from './settings/kinds.ts';

/**
 * Settings that are read elsewhere: the command creates the log, the modes of the protocols inherit that of the server,
 * that of gRPC is read at its first call, certificates if TLS is on (`certificates.test.ts`), and the mode of HTTP/3
 * if that is served (`contract-tests/http3.test.ts`).
 */
const READ_ELSEWHERE: readonly string[] = ['log.format', 'log.level', 'database.mode', 'grpc.mode', 'tls.cert',
  'tls.key', 'tls.clientCa', 'tls.clientAuth', 'http3.mode'];

const PATHS: readonly string[] = describeSettings().map(({ path }) => path);

const defaults = (): Settings =>
  loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ADDR: '127.0.0.1:0',
      SVC_MCP_ADDR: '127.0.0.1:0',
    },
  }).settings;

/** Settings that record which of them were read, as `group.name`. */
function recording(settings: Settings): { settings: Settings; read: Set<string> } {
  const read = new Set<string>();
  const groups = Object.entries(settings).map(([group, values]) => [group, new Proxy({ ...values }, {
    get: (target, name) => {
      read.add(`${group}.${String(name)}`);
      return Reflect.get(target, name) as unknown;
    },
  })]);
  return { settings: Object.fromEntries(groups) as Settings, read };
}

/** The settings with another value of the same kind in one place. */
function withOther(settings: Settings, path: string): Settings {
  const [group, name] = path.split('.') as [keyof Settings, string];
  const values = settings[group] as Readonly<Record<string, unknown>>;
  return { ...settings, [group]: { ...values, [name]: other(values[name]) } };
}

function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}x`;
  if (value === undefined) return 'code';
  if (Array.isArray(value)) return value.length > 0 ? [] : ['other'];
  if (value !== null && typeof value === 'object' && 'others' in value)
    return { listed: [], others: value.others === 'nothing' ? 'everything' : 'nothing' } satisfies WebOrigins;
  return { kind: 'tcp', host: 'other.example', port: 1 } satisfies Address;
}

describe('every setting', () => {
  it('is read when the service starts and works', async () => {
    const { settings, read } = recording(defaults());
    const service = await startDocumentService({ settings, log: silentLog });
    await fetch(`${service.url}/v1/add`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"collection":"c","key":"a","lang":"en","contentMd":"a"}',
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const mcp = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'get_stats',
    };
    await fetch(service.listeners.mcp!.url, {
      method: 'POST',
      headers: mcp,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_stats', _meta } }),
    });
    await service.stop();
    const unread = PATHS.filter((path) => !read.has(path) && !READ_ELSEWHERE.includes(path));
    expect(unread).toEqual([]);
  });

  it('that the areas are given makes a difference to what they get', () => {
    const { settings, read } = recording(defaults());
    const before = toDocsSettings(settings);
    const lost = [...read].filter((path) =>
      PATHS.includes(path) && JSON.stringify(toDocsSettings(withOther(defaults(), path))) === JSON.stringify(before)
    );
    expect(lost).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
  });
});
