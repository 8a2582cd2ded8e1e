// `npm run publish-contracts`, at a release only: makes the present contracts those that later checks compare with.
import { join } from 'node:path';
import { bundleSpecification } from './bundle.ts';
import { publishDescription } from './compatibility/published.ts';
import { publicDescription } from './description/index.ts';
import { publishProto } from './proto.ts';
import { SERVICES } from './services.ts';

const root = join(import.meta.dirname, '..', '..');

await publishProto(join(root, 'proto'));
for (const service of SERVICES) {
  const document = await bundleSpecification(join(root, 'openapi', service, 'openapi.yaml'));
  await publishDescription(root, service, publicDescription(document));
}
