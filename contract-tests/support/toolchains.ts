import { execFileSync } from 'node:child_process';

/**
 * For each language whose generated clients are tested: commands, each of which exits with 0 if the toolchain is
 * installed.
 */
const TOOLCHAINS = {
  python: ['python3 -m venv --help'],
  go: ['go version'],
  java: ['java -version', 'mvn -version'],
  'java-native': ['java -version', 'mvn -version'],
  typescript: ['node --version', 'java -version'],
  rust: ['cargo --version', 'java -version'],
  csharp: ['dotnet --version', 'java -version'],
} as const satisfies Record<string, readonly string[]>;

export type Language = keyof typeof TOOLCHAINS;

export const LANGUAGES = Object.keys(TOOLCHAINS) as Language[];

const asked = new Set(
  (process.env['QUIRE_TEST_CLIENTS'] ?? '').split(',').map((name) => name.trim()).filter((name) => name !== ''),
);

function works(command: string): boolean {
  const [program, ...args] = command.split(' ');
  try {
    execFileSync(program!, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Why clients in a language are not generated here, for the name of a test; undefined if they are. Generating and
 * compiling takes toolchains, registries and minutes, so it is done only if QUIRE_TEST_CLIENTS names the language, or
 * all.
 */
export function reasonToSkip(language: Language): string | undefined {
  if (!asked.has('all') && !asked.has(language)) return `QUIRE_TEST_CLIENTS does not name ${language}`;
  const missing = TOOLCHAINS[language].find((command) => !works(command));
  return missing === undefined ? undefined : `"${missing}" fails on this machine`;
}
