export { type MissingControl, missingControls } from './compliance.ts';
export { describeSettings, renderSettingsMarkdown, type SettingRow } from './describe.ts';
export { IN_MEMORY } from './groups/database.ts';
export { type LoadedSettings, loadSettings, SettingsError, type SettingsInput } from './load.ts';
export { type PackedSettings, packSettings, unpackSettings } from './packed.ts';
export type { Environment, Flags, Origin } from './resolve.ts';
export type { SettingPath, Settings } from './table.ts';
