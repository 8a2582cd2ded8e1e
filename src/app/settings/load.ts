import { didYouMean } from '../../lib/did-you-mean.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { adviceOn, checkTogether } from './checks.ts';
import { type Environment, type Flags, type Origin, readYamlFile, resolveSettings } from './resolve.ts';
import { ENTRIES, type SettingPath, type Settings } from './table.ts';

/** Settings with which the service cannot start; `problems` has one line for each problem. */
export class SettingsError extends ConfigError {
  constructor(problems: readonly string[]) {
    super(problems);
    this.name = 'SettingsError';
  }
}

export interface SettingsInput {
  /** In the form in which commander parses them; `config` names the YAML file. */
  readonly flags?: Flags;
  readonly env?: Environment;
  /** The YAML file; `flags.config` takes precedence. */
  readonly yamlFile?: string;
  /** Values by environment variable for settings without any source; they replace the defaults. */
  readonly defaults?: Environment;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** The source of each setting that is not a default. */
  readonly origins: ReadonlyMap<SettingPath, Origin>;
  /** Lines to log at the start: unknown names, and unwise settings. */
  readonly warnings: readonly string[];
}

/**
 * Reads the settings of the document service from flags, environment, YAML file and defaults. Throws a
 * `SettingsError` that lists all problems.
 */
export function loadSettings({ flags = {}, env = {}, yamlFile, defaults = {} }: SettingsInput): LoadedSettings {
  const file = typeof flags['config'] === 'string' ? flags['config'] : yamlFile;
  const yaml = file === undefined ? undefined : readYamlFile(file);
  const { settings, origins, problems: unresolved } = resolveSettings({
    flags,
    env,
    defaults,
    yaml,
  });
  const problems = [...(yaml?.problems ?? []), ...unresolved, ...checkTogether(settings, origins)];
  if (problems.length === 0 && !servesAnything(settings))
    problems.push('SVC_HTTP_ENABLED: every listener is off, so nothing would be served');
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    settings,
    origins,
    warnings: [...(yaml?.warnings ?? []), ...unknownVariables(env), ...adviceOn(settings, origins)],
  };
}

function servesAnything({ http, grpc, mcp }: Settings): boolean {
  return http.enabled || grpc.enabled || mcp.enabled || mcp.stdio;
}

const VARIABLES = new Set(
  ENTRIES.flatMap(({ setting }) => [...setting.env, ...(setting.portEnv ? [setting.portEnv] : [])]),
);

/** Variables with our prefix that no setting uses, probably misspelled. */
function unknownVariables(env: Environment): string[] {
  return Object.keys(env).filter((name) => name.startsWith('SVC_') && !VARIABLES.has(name)).sort().map((name) =>
    `unknown variable ${name}${didYouMean(name, VARIABLES) || '; docs/settings.md lists all'}`
  );
}

/** Settings in a form that can be sent to another process: values, or texts for values that are not plain data. */
export type PackedSettings = Readonly<Record<string, { readonly value: unknown } | { readonly text: string }>>;

/** Contains secrets: for a process of this service only. */
export function packSettings(settings: Settings): PackedSettings {
  return Object.fromEntries(ENTRIES.map(({ path, setting }) => {
    const value = valueAt(settings, path);
    return [path, isPlain(value) ? { value } : { text: setting.kind.show(value) }];
  }));
}

export function unpackSettings(packed: PackedSettings): Settings {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const { path, setting } of ENTRIES) {
    const [group, name] = path.split('.') as [string, string];
    const found = packed[path]!;
    (settings[group] ??= {})[name] = 'text' in found ? setting.kind.parse(found.text) : found.value;
  }
  return settings as unknown as Settings;
}

function valueAt(settings: Settings, path: string): unknown {
  const [group, name] = path.split('.') as [keyof Settings, string];
  return (settings[group] as Readonly<Record<string, unknown>>)[name];
}

/** A network, for example, has a method that matches addresses. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function') return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isPlain);
}
