export { Effort } from './compile-schema.ts';
export type { ValidationSchema } from './parse-schema.ts';
export { createSchemas, type Schemas } from './schemas.ts';
