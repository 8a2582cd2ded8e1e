import type Router from '@koa/router';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Files of the reference page that come from the package that renders it. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const START_SCRIPT = `
window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

const page = (title: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The page may load its own files only, so it works without a network and runs no external code. */
const PAGE_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

export interface Description {
  readonly title: string;
  readonly json: string;
  readonly yaml: string;
  /** OpenAPI 3.0, for client generators. */
  readonly plainJson: string;
}

/**
 * Serves the specification at `/openapi.json`, `/openapi.yaml` and `/openapi-3.0.json`, and a page that displays it at
 * `/docs`.
 */
export function describeService(router: Router, { title, json, yaml, plainJson }: Description): void {
  const text = (path: string, type: string, body: string) =>
    router.get(path, (ctx) => {
      ctx.type = type;
      ctx.body = body;
    });
  text('/openapi.json', 'application/json; charset=utf-8', json);
  text('/openapi.yaml', 'application/yaml; charset=utf-8', yaml);
  text('/openapi-3.0.json', 'application/json; charset=utf-8', plainJson);
  router.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', PAGE_POLICY);
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page(title);
  });
  text('/docs/start.js', 'text/javascript; charset=utf-8', START_SCRIPT);
  for (const [name, type] of Object.entries(ASSETS)) serveAsset(router, name, type);
}

function serveAsset(router: Router, name: string, type: string): void {
  router.get(`/docs/${name}`, async (ctx) => {
    const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
    ctx.type = type;
    ctx.set('Cache-Control', 'public, max-age=86400');
    ctx.body = await readFile(join(folder, name));
  });
}
