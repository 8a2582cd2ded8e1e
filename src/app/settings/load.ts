import { didYouMean } from '../../lib/did-you-mean.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { adviceOn, checkTogether } from './checks.ts';
import { type Environment, type Flags, type Origin, resolveSettings } from './resolve.ts';
import { ENTRIES, type SettingPath, type Settings } from './table.ts';
import { readYamlFile } from './yaml-file.ts';

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
    ...(yaml ? { yaml } : {}),
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
