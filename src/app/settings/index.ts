export { missingControls, type MissingControl } from './compliance.ts';
export { describeSettings, renderSettingsMarkdown, type SettingRow } from './describe.ts';
export { IN_MEMORY } from './groups/database.ts';
export { loadSettings, SettingsError, type LoadedSettings, type SettingsInput } from './load.ts';
export type { Environment, Flags, Origin } from './resolve.ts';
export type { SettingPath, Settings } from './table.ts';
export { packSettings, unpackSettings, type PackedSettings } from './packed.ts';
