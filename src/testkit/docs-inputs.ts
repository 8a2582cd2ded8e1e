import { readSpecification } from '../app/specification.ts';

/** Schemas of the inputs of the document service. All tests of a process use this object, so that each validator is compiled once. */
export const { inputs: DOCS_INPUTS } = await readSpecification('docs');
