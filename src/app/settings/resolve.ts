import { readFileSync, statSync } from 'node:fs';
import { type Address, formatAddress, parsePort } from '../../lib/address.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { deepFreeze } from '../../lib/setting-values.ts';
import { parseYaml } from '../../text/safe-yaml.ts';
import type { Lookup, Setting } from './kinds.ts';
import { ENTRIES, type SettingPath, type Settings, type TableEntry } from './table.ts';

const MAX_BYTES = 1_048_576;

/** The contents of a YAML file. */
interface YamlSettings {
  readonly file: string;
  /** Returns the value at a path of the table such as `http.addr`; undefined if the file has none, or null. */
  value(path: string): unknown;
  /** Unknown keys, each as one line. */
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

type Mapping = ReadonlyMap<unknown, unknown>;

/** Reads the settings file of `--config`. Errors are in `problems`; never throws. */
export function readYamlFile(file: string): YamlSettings {
  try {
    if (statSync(file).size > MAX_BYTES) return broken(file, `${file}: the file is larger than ${MAX_BYTES} bytes`);
    return readYaml(file, readFileSync(file, 'utf8'));
  } catch (error) {
    return broken(file,
      `${file}: the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  }
}

/** Like `readYamlFile`, from the file's text. */
function readYaml(file: string, text: string): YamlSettings {
  // Numbers are read as text, because a secret such as 0123 is not 123.
  const parsed = parseYaml(text, { mapsAsMap: true, numbersAsText: true });
  if (!parsed.ok) return broken(file, `${file}: ${parsed.problem}`);
  if (parsed.value === null) return { file, value: () => undefined, warnings: [], problems: [] };
  if (!(parsed.value instanceof Map)) return broken(file, `${file}: expected a mapping of settings`);
  const root: Mapping = parsed.value;
  return { file, value: (path) => valueAt(root, path), ...inspect(file, root) };
}

function broken(file: string, problem: string): YamlSettings {
  return { file, value: () => undefined, warnings: [], problems: [problem] };
}

function valueAt(root: Mapping, path: string): unknown {
  let value: unknown = root;
  for (const name of path.split('.')) value = value instanceof Map ? value.get(name) : undefined;
  return value ?? undefined;
}

/** Every path of the table, and the groups above them, with the names in each group. */
const LEAVES = new Set(ENTRIES.flatMap(({ yaml }) => yaml));
const GROUPS = namesByGroup();

function namesByGroup(): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const leaf of LEAVES) {
    const parts = leaf.split('.');
    parts.forEach((name, depth) => {
      const group = parts.slice(0, depth).join('.');
      groups.set(group, (groups.get(group) ?? new Set()).add(name));
    });
  }
  return groups;
}

function inspect(file: string, root: Mapping): { warnings: string[]; problems: string[] } {
  const warnings: string[] = [];
  const problems: string[] = [];
  const visit = (group: string, mapping: Mapping): void => {
    for (const [key, value] of mapping) {
      const name = String(key);
      const path = group === '' ? name : `${group}.${name}`;
      if (LEAVES.has(path) || (GROUPS.has(path) && value === null)) continue;
      if (!GROUPS.has(path)) warnings.push(`${file}: unknown key ${path}${didYouMean(name, GROUPS.get(group)!)}`);
      else if (value instanceof Map) visit(path, value);
      else problems.push(`${path} in ${file}: expected a mapping with ${[...GROUPS.get(path)!].join(', ')}`);
    }
  };
  visit('', root);
  return { warnings, problems };
}

/** Flags as commander returns them: by their camel-cased name, true for a flag without a value. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

interface Sources {
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

interface Resolution {
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
