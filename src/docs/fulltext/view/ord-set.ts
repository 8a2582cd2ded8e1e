export { OrdSet } from '../../../lib/ord-set.ts';
