import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { SpecificationError } from './openapi-types.ts';

const PAGES = ['docs', 'docs-home', 'runs', 'runs-home'] as const;

/**
 * Bundles the console of both services from `src/console/` into `target/console`, together with the clients in
 * `target`. The names of scripts and styles contain a hash of their content, so that browsers may cache them
 * indefinitely.
 */
export async function buildConsole(root: string, target: string): Promise<void> {
  try {
    await build({
      root: join(root, 'src', 'console'),
      base: '/console/',
      configFile: false,
      envFile: false,
      publicDir: false,
      logLevel: 'error',
      plugins: [clientsOf(join(root, 'generated'), target),
        iconInPages(join(root, 'src', 'console', 'style', 'icon.svg'))],
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: join(target, 'console'),
        emptyOutDir: true,
        target: 'es2022',
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: Object.fromEntries(PAGES.map((page) => [page, join(root, 'src', 'console', `${page}.html`)])),
        },
      },
    });
  } catch (error) {
    throw new SpecificationError(
      `the console doesn't build:\n${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The sources import the committed clients; the ones that are being generated replace them. */
function clientsOf(committed: string, fresh: string): Plugin {
  return {
    name: 'fresh-clients',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (importer === undefined || !/\/generated\/(?:docs|runs)\/sdk\//.test(source)) return undefined;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved === null ? undefined : resolved.id.replace(committed, fresh);
    },
  };
}

/**
 * The pages contain their icon, because they may load no image: documents that they show could ask for any path of the
 * server.
 */
function iconInPages(file: string): Plugin {
  return {
    name: 'icon-in-pages',
    transformIndexHtml: {
      order: 'pre',
      handler: async (html) =>
        html.replaceAll('./style/icon.svg', `data:image/svg+xml,${encodeURIComponent(await readFile(file, 'utf8'))}`),
    },
  };
}
