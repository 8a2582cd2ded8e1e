export { Effort, type Meta } from './compile-schema.ts';
export type { MetaRule, ValidationSchema } from './parse-schema.ts';
export { createSchemas, type Schemas } from './schemas.ts';
