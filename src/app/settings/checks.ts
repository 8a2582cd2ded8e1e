import type { Origin } from './resolve.ts';
import type { SettingPath, Settings } from './table.ts';

/**
 * What no single setting can tell: values that only make sense together. One line for each problem.
 * `origins` gives the name that the user knows a setting by.
 */
export function checkTogether(settings: Settings, origins: ReadonlyMap<SettingPath, Origin>): string[] {
  const { auth, compression, embedding, replication, tls } = settings;
  const name = (path: SettingPath, variable: string): string => origins.get(path)?.label ?? variable;
  return [
    ...require(compression.smallThreshold <= compression.mediumThreshold, `${name('compression.smallThreshold', 'SVC_COMPRESSION_SMALL_THRESHOLD')}: expected at most the medium threshold, ${compression.mediumThreshold}, got ${compression.smallThreshold}`),
    ...require(!auth.enabled || auth.jwtSecret !== '', 'SVC_AUTH_JWT_SECRET: required when authentication is enabled'),
    ...require(!auth.enabled || auth.adminPassword !== '', 'SVC_AUTH_ADMIN_PASSWORD: required when authentication is enabled'),
    ...require(!tls.enabled || tls.cert !== '', 'SVC_TLS_CERT: required when TLS is enabled'),
    ...require(!tls.enabled || tls.key !== '', 'SVC_TLS_KEY: required when TLS is enabled'),
    ...require(!isHosted(embedding.provider) || embedding.apiKey !== '', `SVC_EMBEDDING_API_KEY: required by the provider ${embedding.provider}`),
    ...require(replication.role !== 'follower' || replication.leaderAddr !== '', 'SVC_REPLICATION_LEADER_ADDR: required by a follower'),
    ...sharedPorts(settings, name),
  ];
}

const require = (holds: boolean, problem: string): string[] => (holds ? [] : [problem]);

const isHosted = (provider: Settings['embedding']['provider']): boolean => provider === 'openai' || provider === 'voyage';

/** Two listeners on one port would fight for it; UDP (HTTP/3) is a world of its own. */
function sharedPorts(settings: Settings, name: (path: SettingPath, variable: string) => string): string[] {
  const taken = new Map<number, string>();
  const problems: string[] = [];
  for (const [protocol, variable] of [['http', 'SVC_HTTP_ADDR'], ['grpc', 'SVC_GRPC_ADDR'], ['mcp', 'SVC_MCP_ADDR']] as const) {
    const { enabled, addr } = settings[protocol];
    if (!enabled || addr.kind === 'unix' || addr.port === 0) continue;
    const label = name(`${protocol}.addr`, variable);
    const other = taken.get(addr.port);
    if (other === undefined) taken.set(addr.port, label);
    else problems.push(`${label}: port ${addr.port} is already the one of ${other}`);
  }
  return problems;
}
