import { audit, auth, encryption, incident, oidc } from './groups/auth.ts';
import { backup, bodies, checkpoints, compression, database, geo, postgres, storage } from './groups/database.ts';
import { automation, embedding, webhooks, wiki } from './groups/features.ts';
import { cors, input, limits, outbound, production, rateLimit, tls } from './groups/hardening.ts';
import { extreme, graphql, grpc, http, http3, mcp } from './groups/listeners.ts';
import { binlog, node, replication, sessions, workers } from './groups/nodes.ts';
import { convert, log, metrics, shutdown } from './groups/operation.ts';
import { code, fts, search, spell, temporal, vector } from './groups/search.ts';
import type { Setting, ValueOf } from './kinds.ts';

/**
 * Every setting of the document service (contract, section 1; decisions, sections 1 to 5). Loading, the settings' type,
 * `--help` and the documentation are all derived from it.
 */
const SETTINGS = {
  http,
  grpc,
  graphql,
  mcp,
  extreme,
  http3,
  database,
  storage,
  postgres,
  backup,
  checkpoints,
  compression,
  bodies,
  geo,
  embedding,
  vector,
  fts,
  search,
  code,
  convert,
  temporal,
  spell,
  automation,
  webhooks,
  auth,
  oidc,
  incident,
  audit,
  encryption,
  production,
  tls,
  cors,
  rateLimit,
  outbound,
  input,
  limits,
  replication,
  binlog,
  workers,
  sessions,
  node,
  wiki,
  log,
  metrics,
  shutdown,
};

type Table = typeof SETTINGS;

/** The settings in the form that the service uses: validated, complete, frozen. */
export type Settings = {
  readonly [G in keyof Table]: { readonly [N in keyof Table[G]]: ValueOf<Table[G][N]> };
};

/** `http.addr` and so on. */
export type SettingPath = { [G in keyof Table & string]: `${G}.${keyof Table[G] & string}` }[keyof Table & string];

export interface TableEntry {
  readonly path: SettingPath;
  readonly setting: Setting<unknown>;
  /** Paths in the YAML file, in descending order of precedence. */
  readonly yaml: readonly string[];
}

/** The table as a list, in the same order. */
export const ENTRIES: readonly TableEntry[] = Object.entries(SETTINGS).flatMap(([group, settings]) =>
  Object.entries(settings as Readonly<Record<string, Setting<unknown>>>).map(([name, setting]) => {
    const path = `${group}.${name}` as SettingPath;
    return { path, setting, yaml: setting.yaml ?? [path] };
  })
);
