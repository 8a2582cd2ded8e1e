import { ENTRIES, type Settings } from './table.ts';

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
