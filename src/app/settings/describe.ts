import { boolean } from './kinds.ts';
import { ENTRIES, type SettingPath, type TableEntry } from './table.ts';

/** One setting, for `--help` and the documentation. */
export interface SettingRow {
  readonly path: SettingPath;
  /** Environment variables, in descending order of precedence. */
  readonly env: readonly string[];
  /** Including its dashes. */
  readonly flag?: string;
  readonly yaml: readonly string[];
  /** In the form in which it is written; empty if there is none. */
  readonly default: string;
  readonly meaning: string;
  /** True for a setting that is on or off: its flag works without a value. */
  readonly onOff: boolean;
}

/** Every setting, in the order of the table. */
export function describeSettings(): SettingRow[] {
  return ENTRIES.map((entry) => ({
    path: entry.path,
    env: [...entry.setting.env, ...(entry.setting.portEnv ? [entry.setting.portEnv] : [])],
    flag: entry.setting.flag ? `--${entry.setting.flag}` : undefined,
    yaml: entry.yaml,
    default: defaultOf(entry),
    meaning: entry.setting.meaning,
    onOff: entry.setting.kind === boolean,
  }));
}

/** The table of settings as Markdown, for docs/settings.md. */
export function renderSettingsMarkdown(): string {
  const rows = describeSettings().map((
    row,
  ) => [[...row.env, ...(row.flag ? [row.flag] : [])].map(codeSpan).join(', ') || '–',
    row.yaml.map(codeSpan).join(', '), isPhrase(row) ? row.default : codeSpan(row.default), row.meaning]
  );
  return [['Variable, flag', 'YAML', 'Default', 'Meaning'], ['---', '---', '---', '---'], ...rows].map((cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  ).join('');
}

function defaultOf({ setting }: TableEntry): string {
  return setting.fallbackText ?? setting.kind.show(setting.fallback);
}

const PHRASES = new Set(ENTRIES.filter(({ setting }) => setting.fallbackText !== undefined).map(({ path }) => path));
const isPhrase = ({ path }: SettingRow): boolean => PHRASES.has(path);

const codeSpan = (text: string): string => (text === '' ? '' : `\`${text}\``);
