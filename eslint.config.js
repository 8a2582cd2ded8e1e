import eslint from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * The rooms of src/ by rank: a room may import from lower ranks only, and rooms of one rank are
 * strangers. `testkit` may import everything and is imported by tests alone; `codegen` runs at
 * build time and is imported by nobody.
 */
const RANKS = [
  ['lib'],
  ['errors'],
  ['kernels', 'text', 'storage', 'net'],
  ['search', 'operations', 'convert', 'embedding'],
  ['docs', 'runs'],
  ['api/http', 'api/grpc', 'api/graphql', 'api/mcp', 'api/http3', 'ship', 'console'],
  ['app'],
];

const TESTS = ['**/*.test.ts', 'src/testkit/**', 'contract-tests/**', 'bench/**'];

const ranked = RANKS.flatMap((rooms, rank) =>
  rooms.map((room) => ({
    target: `./src/${room}`,
    from: [...rooms.filter((other) => other !== room), ...RANKS.slice(rank + 1).flat()].map((other) => `./src/${other}`),
    message: `${room} has rank ${rank}: it imports from lower ranks only`,
  })),
);

const fences = [
  { target: './src/!(testkit)/**', from: './src/testkit', message: 'testkit is for tests' },
  { target: './src/!(codegen)/**', from: './src/codegen', message: 'codegen runs at build time' },
  // Operations and below speak their own types, so that a change of the specification stays at the edge.
  ...['lib', 'errors', 'kernels', 'text', 'storage', 'convert', 'embedding', 'net', 'search', 'operations'].map((room) => ({
    target: `./src/${room}`,
    from: './generated',
    // Constants of the kernels' layouts say nothing of the specifications.
    except: ['./kernels'],
    message: `${room} knows no generated type`,
  })),
  // Adapters reach handlers through invoke() only.
  { target: './src/api', from: './src/docs', message: 'adapters know operations/ and generated/ only' },
  // The fleet protocol is no operation: its adapter carries messages to what this port describes.
  { target: './src/api', from: './src/runs', except: ['./fleet/port.ts'], message: 'adapters know operations/ and generated/ only' },
  // Ships run on other machines.
  { target: './src/ship', from: './src/runs', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/ship', from: './src/docs', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/ship', from: './src/operations', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/api', from: './src/storage', message: 'adapters know operations/ and generated/ only' },
  // Clients run in browsers and in other people's programs.
  { target: './src/client', from: './src/!(client)/**', message: 'a client knows the generated SDKs only' },
  // The console is a client like all others.
  { target: './src/console', from: './src/!(console)/**', message: 'the console knows the generated clients only' },
  { target: './src/!(console)/**', from: './src/console', message: 'the console runs in browsers' },
];

export default [
  { ignores: ['generated/**', 'dist/**', 'node_modules/**', 'bench/node_modules/**', 'examples/**', 'data/**', 'coverage/**'] },
  eslint.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { 'import-x': importX },
    rules: {
      // Packages import none of these files, and the folder `node` in one of them would be taken for a resolver.
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-default-export': 'error',
      'import-x/no-restricted-paths': ['error', { zones: [...ranked, ...fences].filter(({ from }) => from.length > 0) }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' }],
      'no-console': 'error',
      'no-control-regex': 'off', // names are checked for control characters by their class
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  // Only the settings read the environment; everything else gets what it needs.
  {
    files: ['src/**/*.ts'],
    ignores: ['src/app/**', 'src/testkit/**', '**/*.test.ts', 'src/codegen/**'],
    rules: { 'no-restricted-syntax': ['error', { selector: "MemberExpression[object.name='process'][property.name='env']", message: 'only app/ reads the environment' }] },
  },
  { files: ['src/app/**', 'src/codegen/**', 'bench/**'], rules: { 'no-console': 'off' } },
  { files: ['bin/*.js'], languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } }, rules: { 'no-console': 'off' } },
  { files: ['deploy/docker/*.mjs'], languageOptions: { globals: { process: 'readonly', fetch: 'readonly', AbortSignal: 'readonly' } } },
  { files: ['*.config.ts', '*.config.js', '**/*.d.ts'], rules: { 'import-x/no-default-export': 'off' } },
  {
    files: TESTS,
    rules: { 'import-x/no-restricted-paths': 'off', 'no-console': 'off' },
  },
];
