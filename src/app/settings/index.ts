export { type MissingControl, missingControls } from './compliance.ts';
export { describeSettings, renderSettingsMarkdown, type SettingRow } from './describe.ts';
export { IN_MEMORY } from './groups/database.ts';
export { type LoadedSettings, loadSettings, type PackedSettings, packSettings, SettingsError, type SettingsInput,
  unpackSettings } from './load.ts';
export type { Environment, Flags, Origin } from './resolve.ts';
export type { SettingPath, Settings } from './table.ts';
