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
  { path: 'replication.role', what: 'replication', asked: ({ replication }) => replication.role !== undefined },
  { path: 'binlog.enabled', what: 'the binlog', asked: ({ binlog }) => binlog.enabled },
];

type Origins = ReadonlyMap<SettingPath, Origin>;

/** One problem for each switch that asks for what is not built: `SVC_TLS_ENABLED=true: TLS is not built yet; unset it`. */
export function unbuilt(settings: Settings, origins: Origins): string[] {
  return UNBUILT.filter(({ asked }) => asked(settings)).map(({ path, what }) => notBuilt(path, what, origins));
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
