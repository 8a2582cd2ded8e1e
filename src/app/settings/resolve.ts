import { type Address, formatAddress, parsePort } from '../../lib/address.ts';
import { deepFreeze } from '../../lib/setting-values.ts';
import type { Lookup, Setting } from './setting.ts';
import { ENTRIES, type SettingPath, type Settings, type TableEntry } from './table.ts';
import type { YamlSettings } from './yaml-file.ts';

/** Flags as commander returns them: by their camel-cased name, true for a flag without a value. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Sources {
  readonly flags: Flags;
  readonly env: Environment;
  readonly yaml?: YamlSettings;
  /** Replace the defaults, by environment variable. */
  readonly defaults?: Environment;
}

/** The source of a value, as messages name it: `SVC_PATH`, `--db`, `database.path in quire.yaml`. */
export interface Origin {
  readonly label: string;
  readonly text: string;
}

export interface Resolution {
  readonly settings: Settings;
  /** Of each setting that has a source; the others have their default. */
  readonly origins: ReadonlyMap<SettingPath, Origin>;
  readonly problems: readonly string[];
}

/**
 * Takes each setting from its source with the highest precedence: flag, then environment, then YAML, then default.
 * An empty text counts as absent. An invalid value is a problem, and the default replaces it so that
 * all problems are found at once.
 */
export function resolveSettings(sources: Sources): Resolution {
  const values = new Map<string, unknown>();
  const origins = new Map<SettingPath, Origin>();
  const problems: string[] = [];
  for (const entry of ENTRIES) {
    const found = find(entry, sources);
    if (found !== undefined) origins.set(entry.path, found);
    const value = found === undefined ? undefined : read(entry.setting, found, problems);
    if (value !== undefined) values.set(entry.path, value);
  }
  fillDefaults(values);
  replacePorts(values, origins, sources.env, problems);
  return { settings: toSettings(values), origins, problems };
}

interface Found extends Origin {
  /** Returns false for a list or mapping in the YAML file if the setting accepts none. */
  readonly fits: boolean;
}

function find({ setting, yaml }: TableEntry, sources: Sources): Found | undefined {
  const flag = setting.flag === undefined ? undefined : sources.flags[flagProperty(setting.flag)];
  if (flag !== undefined && flag !== '') return { label: `--${setting.flag}`, text: String(flag), fits: true };
  const variable = setting.env.find((name) => sources.env[name]);
  if (variable !== undefined) return { label: variable, text: sources.env[variable]!, fits: true };
  for (const path of yaml) {
    const value = sources.yaml?.value(path);
    if (value !== undefined && value !== '')
      return { label: `${path} in ${sources.yaml!.file}`, ...fromYaml(value, setting) };
  }
  const fallback = setting.env.find((name) => sources.defaults?.[name]);
  return fallback === undefined ? undefined : { label: fallback, text: sources.defaults![fallback]!, fits: true };
}

/** Converts `http-addr` to `httpAddr`, as commander does. */
function flagProperty(flag: string): string {
  return flag.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function fromYaml(value: unknown, { kind }: Setting<unknown>): { text: string; fits: boolean } {
  if (typeof value !== 'object' || value === null) return { text: String(value), fits: true };
  const scalars = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  if (kind.yaml === 'list' && scalars) return { text: value.join(','), fits: true };
  const json = JSON.stringify(value, (_, inner: unknown) => (inner instanceof Map ? Object.fromEntries(inner) : inner));
  return { text: json, fits: kind.yaml === 'structure' };
}

function read(setting: Setting<unknown>, { label, text, fits }: Found, problems: string[]): unknown {
  // A space at either end is a typing error, except in a password.
  const value = fits ? setting.kind.parse(setting.secret ? text : text.trim()) : undefined;
  if (value === undefined)
    problems.push(`${label}: expected ${setting.kind.expected}, got ${setting.secret ? '(hidden)' : quote(text)}`);
  return value;
}

const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** Plain defaults first, because computed defaults read them. */
function fillDefaults(values: Map<string, unknown>): void {
  const lookup: Lookup = <T>(path: string): T => values.get(path) as T;
  const missing = ENTRIES.filter(({ path }) => !values.has(path));
  for (const { path, setting } of missing)
    if (typeof setting.fallback !== 'function') values.set(path, setting.fallback);
  for (const { path, setting } of missing)
    if (typeof setting.fallback === 'function') values.set(path, setting.fallback(lookup));
}

/**
 * `SVC_HTTP_PORT` and similar variables replace the port and keep the host of an address; a flag
 * or the protocol's own variable sets the whole address and takes precedence.
 */
function replacePorts(values: Map<string, unknown>, origins: Map<SettingPath, Origin>, env: Environment,
  problems: string[]): void
{
  for (const { path, setting } of ENTRIES) {
    const { portEnv } = setting;
    const text = portEnv === undefined ? undefined : env[portEnv];
    const label = origins.get(path)?.label;
    if (!portEnv || !text || label === `--${setting.flag}` || label === setting.env[0]) continue;
    const port = parsePort(text);
    const address = values.get(path) as Address;
    if (port === undefined) problems.push(`${portEnv}: expected a port from 0 to 65535, got ${quote(text)}`);
    else if (address.kind === 'unix') problems.push(`${portEnv}: ${label} names a unix socket, which has no port`);
    else {
      values.set(path, { ...address, port });
      origins.set(path, { label: portEnv, text: formatAddress({ ...address, port }) });
    }
  }
}

function toSettings(values: ReadonlyMap<string, unknown>): Settings {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const { path } of ENTRIES) {
    const [group, name] = path.split('.') as [string, string];
    (groups[group] ??= {})[name] = values.get(path);
  }
  return deepFreeze(groups) as Settings;
}
