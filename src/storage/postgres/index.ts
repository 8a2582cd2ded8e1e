export { PostgresSql } from './driver.ts';
