import type { Kind } from './kinds.ts';

/** Returns the value of another setting by its path; only for settings whose own default is a plain value. */
export type Lookup = <T>(path: string) => T;

/** One setting: its sources, its type, and its meaning. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  /** A value, or a function that computes one from other settings. */
  readonly fallback: T | ((lookup: Lookup) => T);
  /** Environment variables, in descending order of precedence; empty if only the YAML file has the setting. */
  readonly env: readonly string[];
  /** What it does, as one phrase. */
  readonly meaning: string;
  /** Description of a default that is not a plain value. */
  readonly fallbackText?: string;
  /** Paths in the YAML file, in descending order of precedence; the default is the setting's own path. */
  readonly yaml?: readonly string[];
  /** Long name of the command-line flag, without dashes. */
  readonly flag?: string;
  /**
   * Variable that replaces the port of an address, unless the source with the highest precedence sets the whole
   * address.
   */
  readonly portEnv?: string;
  /** True if no message, log or listing may show the value. */
  readonly secret?: boolean;
}

type Extras<T> = Omit<Setting<T>, 'kind' | 'fallback' | 'env' | 'meaning'>;

/** A setting of the table. `env` is empty if only the YAML file has it. */
export function setting<T>(kind: Kind<T>, fallback: NoInfer<T> | ((lookup: Lookup) => NoInfer<T>),
  env: string | readonly string[], meaning: string, extras: Extras<T> = {}): Setting<T>
{
  return { kind, fallback, env: typeof env === 'string' ? [env] : env, meaning, ...extras };
}

/** The type of a setting's value. */
export type ValueOf<S> = S extends Setting<infer T> ? T : never;
