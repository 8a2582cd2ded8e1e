import { defineConfig } from 'oxlint';

/**
 * The rooms of src/ by rank: a room may import from lower ranks only, and rooms of one rank are
 * independent of each other. `testkit` may import everything and is imported by tests alone; `codegen` runs at
 * build time and is imported by nobody.
 */
const RANKS = [['lib'], ['errors'], ['kernels', 'text', 'storage', 'net'], ['search', 'operations', 'convert',
  'embedding'], ['docs', 'runs'], ['api/http'], ['api/grpc', 'api/graphql', 'api/mcp', 'api/http3', 'ship', 'console'],
  [
    'app',
  ]];

const TESTS = ['**/*.test.ts', '**/test-fixture.ts', 'src/testkit/**', 'contract-tests/**', 'bench/**'];

const ranked = RANKS.flatMap((rooms, rank) =>
  rooms.map((room) => ({
    target: `./src/${room}`,
    from: [...rooms.filter((other) => other !== room), ...RANKS.slice(rank + 1).flat()].map((other) =>
      `./src/${other}`
    ),
    message: `${room} has rank ${rank}: it imports from lower ranks only`,
  }))
);

const fences = [
  { target: './src/!(testkit)/**', from: './src/testkit', message: 'testkit is for tests' },
  { target: './src/!(codegen)/**', from: './src/codegen', message: 'codegen runs at build time' },
  // Operations and below speak their own types, so that a change of the specification stays at the edge.
  ...['lib', 'errors', 'kernels', 'text', 'storage', 'convert', 'embedding', 'net', 'search', 'operations'].map((
    room,
  ) => ({
    target: `./src/${room}`,
    from: './generated',
    // Constants of the kernels' layouts say nothing of the specifications.
    except: ['./kernels'],
    message: `${room} knows no generated type`,
  })),
  // Adapters reach handlers through invoke() only.
  { target: './src/api', from: './src/docs', message: 'adapters know operations/ and generated/ only' },
  // The fleet protocol is no operation: its adapter carries messages to what this port describes.
  {
    target: './src/api',
    from: './src/runs',
    except: ['./fleet/port.ts'],
    message: 'adapters know operations/ and generated/ only',
  },
  // Ships run on other machines.
  { target: './src/ship', from: './src/runs', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/ship', from: './src/docs', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/ship', from: './src/api', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/ship', from: './src/operations', message: 'a ship knows the fleet protocol, not the server' },
  { target: './src/api', from: './src/storage', message: 'adapters know operations/ and generated/ only' },
  // Clients run in browsers and in other people's programs.
  { target: './src/client', from: './src/!(client)/**', message: 'a client knows the generated SDKs only' },
  // The console is a client like all others.
  { target: './src/console', from: './src/!(console)/**', message: 'the console knows the generated clients only' },
  { target: './src/!(console)/**', from: './src/console', message: 'the console runs in browsers' },
];

export default defineConfig({
  ignorePatterns: ['generated/**', 'dist/**', 'node_modules/**', 'bench/node_modules/**', 'examples/**', 'data/**',
    'coverage/**'],
  plugins: ['typescript', 'import', 'node'],
  // Oxlint itself has no rule for paths.
  jsPlugins: [{ name: 'paths', specifier: 'eslint-plugin-import-x' }],
  categories: { correctness: 'error' },
  rules: {
    // Packages import none of these files.
    'import/no-cycle': ['error', { ignoreExternal: true }],
    'import/no-default-export': 'error',
    'import/namespace': 'off', // refuses a computed name of a namespace
    'paths/no-restricted-paths': ['error', { zones: [...ranked, ...fences].filter(({ from }) => from.length > 0) }],
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'no-unused-vars': ['error', {
      argsIgnorePattern: '^_',
      varsIgnorePattern: '^_',
      destructuredArrayIgnorePattern: '^_',
    }],
    'no-useless-assignment': 'error',
    'no-console': 'error',
    'no-control-regex': 'off', // names are checked for control characters by their class
    eqeqeq: ['error', 'always', { null: 'ignore' }],
  },
  overrides: [
    // AssemblyScript compiles the files of a module as a whole.
    { files: ['asm/**'], rules: { 'import/no-cycle': 'off' } },
    // Only the settings read the environment; everything else gets what it needs.
    { files: ['src/**/*.ts'], rules: { 'node/no-process-env': 'error' } },
    {
      files: ['src/app/**', 'src/testkit/**', '**/*.test.ts', 'src/codegen/**'],
      rules: { 'node/no-process-env': 'off' },
    },
    { files: ['src/app/**', 'src/codegen/**', 'bench/**', 'bin/*.js'], rules: { 'no-console': 'off' } },
    { files: ['*.config.ts', '**/*.d.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: TESTS, rules: { 'paths/no-restricted-paths': 'off', 'no-console': 'off' } },
  ],
});
