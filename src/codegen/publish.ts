// `npm run publish-contracts`, only at a release: makes the current contracts those with which later checks compare.
import { join } from 'node:path';
import { bundleSpecification } from './bundle.ts';
import { publishDescription } from './compatibility/published.ts';
import { publicDescription } from './description/public.ts';
import { SERVICES } from './manifest.ts';
import { publishProto } from './proto.ts';

const root = join(import.meta.dirname, '..', '..');

await publishProto(join(root, 'proto'));
for (const service of SERVICES) {
  const document = await bundleSpecification(join(root, 'openapi', service, 'openapi.yaml'));
  await publishDescription(root, service, publicDescription(document));
}
