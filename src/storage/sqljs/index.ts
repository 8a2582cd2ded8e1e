export { SqlJs } from './driver.ts';
