import { readFile } from 'node:fs/promises';
import { API_VERSION as documents } from '../../generated/docs/version.ts';
import { API_VERSION as runs } from '../../generated/runs/version.ts';

/** Version of this build; a test keeps it equal to package.json's. */
export const BUILD_VERSION = '0.1.0';

/**
 * What `quire --version` prints: the version of the program, and those of the interfaces, which change for other
 * reasons.
 */
export const VERSION_LINE = `quire ${BUILD_VERSION} (document API ${documents}, run queue API ${runs})`;

/** The files that the generator derived from one service's specification, as read at run time. */
export interface SpecificationFiles {
  readonly json: string;
  readonly yaml: string;
  /** OpenAPI 3.0, for client generators. */
  readonly plainJson: string;
  /** JSON schemas of the flat inputs, by operation id. */
  readonly inputs: Readonly<Record<string, object>>;
}

/** The files do not change while the process runs, and what is compiled from them belongs to these objects. */
const known = new Map<string, Promise<SpecificationFiles>>();

/** Returns the generated files of a service, which are read once. */
export function readSpecification(service: 'docs' | 'runs'): Promise<SpecificationFiles> {
  const files = known.get(service) ?? read(service);
  known.set(service, files);
  return files;
}

/** The files are at the same place relative to the sources and to the package. */
async function read(service: 'docs' | 'runs'): Promise<SpecificationFiles> {
  const file = (name: string) => readFile(new URL(`../../generated/${service}/${name}`, import.meta.url), 'utf8');
  const [json, yaml, plainJson, inputs] = await Promise.all([file('openapi.json'), file('openapi.yaml'),
    file('openapi-3.0.json'), file('inputs.json')]);
  return { json, yaml, plainJson, inputs: JSON.parse(inputs) as Record<string, object> };
}
