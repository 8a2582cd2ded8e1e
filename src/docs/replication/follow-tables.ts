/** Keeps rows of tables in memory and can reload them. */
export interface Remembering {
  load(): Promise<void>;
}

/** Areas that cache stored rows, with their tables. Other areas follow the change feed, or query the database. */
const TABLES = {
  // Ended sessions are among the settings.
  access: ['settings', 'users', 'api_keys', 'user_groups', 'group_members', 'user_permissions', 'group_permissions',
    'mcp_keys', 'password_resets', 'oidc_subjects', 'roles', 'role_permissions', 'user_roles', 'group_roles'],
  // The key of the checksums is among the settings.
  documents: ['settings'],
  collections: ['collection_configs'],
  bodies: ['body_stores'],
  schemas: ['schemas'],
  fullText: ['synonyms', 'stop_words'],
  curation: ['curation_rules'],
  webhooks: ['webhooks'],
  automation: ['automation_rules'],
  spell: ['dictionary_words'],
  embeddings: ['embedding_configs'],
} as const;

/** Makes areas reload what a leader has changed in their tables. */
export function followTables(
  areas: Readonly<Record<keyof typeof TABLES, Remembering>>,
): (tables: ReadonlySet<string>) => Promise<void> {
  const names = Object.keys(TABLES) as (keyof typeof TABLES)[];
  return async (changed) => {
    for (const name of names) if (TABLES[name].some((table) => changed.has(table))) await areas[name].load();
  };
}
