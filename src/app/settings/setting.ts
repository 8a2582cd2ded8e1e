import type { Kind } from './kinds.ts';

/** The value that another setting has, by its path; only of settings whose own default is a plain value. */
export type Lookup = <T>(path: string) => T;

/** One setting: where its value may come from, what it has to be, and what it means. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  /** A value, or how to make one from other settings. */
  readonly fallback: T | ((lookup: Lookup) => T);
  /** Environment variables, the strongest first; empty when only the YAML file knows the setting. */
  readonly env: readonly string[];
  /** What it does, as one phrase. */
  readonly meaning: string;
  /** Default in words, where it is not a plain value. */
  readonly fallbackText?: string;
  /** Paths in the YAML file, the strongest first; without it, the setting's own path. */
  readonly yaml?: readonly string[];
  /** Long name of the command-line flag, without dashes. */
  readonly flag?: string;
  /** Variable that replaces the port of an address, unless the strongest source names the whole address (decision D-13). */
  readonly portEnv?: string;
  /** True for what no message, log or listing may show. */
  readonly secret?: boolean;
}

type Extras<T> = Omit<Setting<T>, 'kind' | 'fallback' | 'env' | 'meaning'>;

/** A setting of the table. `env` is empty for one that only the YAML file knows. */
export function setting<T>(
  kind: Kind<T>,
  fallback: NoInfer<T> | ((lookup: Lookup) => NoInfer<T>),
  env: string | readonly string[],
  meaning: string,
  extras: Extras<T> = {},
): Setting<T> {
  return { kind, fallback, env: typeof env === 'string' ? [env] : env, meaning, ...extras };
}

/** What a setting yields. */
export type ValueOf<S> = S extends Setting<infer T> ? T : never;
