import type { Origin } from './resolve.ts';
import { ENTRIES, type SettingPath, type Settings } from './table.ts';

interface Unbuilt {
  readonly path: SettingPath;
  readonly what: string;
  /** True when the settings ask for it. */
  readonly asked: (settings: Settings) => boolean;
}

/**
 * What the settings can ask for and this build does not have. A server that is told to be careful
 * and cannot be must not start: it would run open without anyone noticing. Whoever builds one of
 * these removes its line.
 */
const UNBUILT: readonly Unbuilt[] = [
  { path: 'auth.enabled', what: 'authentication', asked: ({ auth }) => auth.enabled },
  { path: 'audit.enabled', what: 'the audit log', asked: ({ audit }) => audit.enabled },
  { path: 'encryption.key', what: 'encryption at rest', asked: ({ encryption }) => encryption.key !== '' },
  { path: 'encryption.previousKeys', what: 'encryption at rest', asked: ({ encryption }) => encryption.previousKeys !== '' },
  { path: 'tls.enabled', what: 'TLS', asked: ({ tls }) => tls.enabled },
  { path: 'rateLimit.enabled', what: 'the rate limit', asked: ({ rateLimit }) => rateLimit.enabled },
  { path: 'production.enabled', what: 'the production guard', asked: ({ production }) => production.enabled },
  { path: 'metrics.public', what: 'a credential for /metrics', asked: ({ metrics }) => !metrics.public },
  { path: 'http.addr', what: 'listening on a unix socket', asked: ({ http }) => http.addr.kind === 'unix' },
  { path: 'http3.enabled', what: 'extreme mode', asked: ({ http3 }) => http3.enabled },
  { path: 'mcp.stdio', what: 'MCP', asked: ({ mcp }) => mcp.stdio },
  { path: 'replication.role', what: 'replication', asked: ({ replication }) => replication.role !== undefined },
  { path: 'binlog.enabled', what: 'the binlog', asked: ({ binlog }) => binlog.enabled },
  { path: 'temporal.enabled', what: 'temporal tracking', asked: ({ temporal }) => temporal.enabled },
  { path: 'spell.enabled', what: 'spell correction', asked: ({ spell }) => spell.enabled },
];

/** Listeners that are on by default and not built: off, and whoever asks for one by name is told. */
const UNBUILT_LISTENERS: Readonly<Partial<Record<'grpc' | 'graphql' | 'mcp', string>>> = { grpc: 'gRPC', graphql: 'GraphQL', mcp: 'MCP' };

type Origins = ReadonlyMap<SettingPath, Origin>;

/** One problem for each switch that asks for what is not built: `SVC_AUTH_ENABLED=true: authentication is not built yet; unset it`. */
export function unbuilt(settings: Settings, origins: Origins): string[] {
  return UNBUILT.filter(({ asked }) => asked(settings)).map(({ path, what }) => notBuilt(path, what, origins));
}

/** The settings with the listeners that are not built switched off, and a warning for each that was asked for. */
export function withoutUnbuiltListeners(settings: Settings, origins: Origins): { settings: Settings; warnings: string[] } {
  const warnings: string[] = [];
  const changed: Record<string, object> = {};
  for (const [group, what] of Object.entries(UNBUILT_LISTENERS) as ['grpc' | 'graphql' | 'mcp', string][]) {
    const { enabled } = settings[group];
    if (enabled && origins.has(`${group}.enabled`)) warnings.push(notBuilt(`${group}.enabled`, what, origins));
    changed[group] = Object.freeze({ ...settings[group], enabled: false });
  }
  return { settings: Object.freeze({ ...settings, ...changed }), warnings };
}

function notBuilt(path: SettingPath, what: string, origins: Origins): string {
  return `${asWritten(path, origins)}: ${what} is not built yet; unset it`;
}

/** `SVC_TLS_ENABLED=true`; a secret's value is not shown. */
function asWritten(path: SettingPath, origins: Origins): string {
  const { setting } = ENTRIES.find((entry) => entry.path === path)!;
  const origin = origins.get(path);
  if (origin === undefined) return setting.env[0] ?? path;
  return setting.secret ? origin.label : `${origin.label}=${origin.text}`;
}
